/** Stopping a turn, ending an agent, and bringing it back. */
import type { Page, WebSocketRoute } from "@playwright/test";
import { cards, give } from "./asking-page";
import { expect, test } from "./fixtures";
import { serveNewerVersion } from "./newer-version";
import type { Server } from "./server";
import { expectLive, logIn, openSession } from "./transcript-page";

const message = (page: Page) => page.getByLabel("Message", { exact: true });
const banner = (page: Page) => page.locator(".agent-banner");

async function opened(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  return sessionId;
}

async function hanging(page: Page, server: Server): Promise<string> {
  const sessionId = await opened(page, server);
  await server.send(sessionId, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  return sessionId;
}

test("Esc stops when it is pressed twice, and says so after the first time", async ({ page, server }) => {
  await hanging(page, server);
  await message(page).focus();
  await page.keyboard.press("Escape");
  await expect(page.locator(".composer-hint")).toHaveText("Press Esc again to stop");
  await expect(page.locator(".composer-hint"), "it counts for two seconds").not.toHaveText(/again/, {
    timeout: 5_000,
  });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
});

test("Esc in one session does not count for another one", { tag: "@desktop" }, async ({ page, server }) => {
  const first = await hanging(page, server);
  const second = await server.createAgentSession("demo");
  await server.send(second, "hang");
  await openSession(page, second);
  await expect(page.locator('[data-turn-id][data-state="running"]:visible')).toBeVisible();
  await openSession(page, first);
  const hint = page.locator(".composer-hint");
  const toSecond = () =>
    page.evaluate(async (id) => {
      location.hash = `#/s/${id}`;
      for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
    }, second);
  await message(page).focus();
  await page.keyboard.press("Escape");
  await expect(hint).toHaveText("Press Esc again to stop");
  // At once: the first press counts for two seconds.
  await toSecond();
  await page.keyboard.press("Escape");
  await expect(hint).toHaveText("Press Esc again to stop");
  for (const id of [first, second])
    expect(await server.call("GET", `/api/session/${id}/status`)).toMatchObject({ activity: "running" });
});

test("Alt+S stops at once", async ({ page, server }) => {
  await hanging(page, server);
  await page.keyboard.press("Alt+s");
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toBeVisible();
});

test("the turn that follows a stop at once can be stopped too", async ({ page, server }) => {
  const sessionId = await hanging(page, server);
  await server.send(sessionId, "hang");
  await expect(page.locator(".waiting-message")).toHaveCount(1);
  const stop = page.getByRole("button", { name: /^Stop/ });
  await stop.click();
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toHaveCount(1);
  await expect(page.locator(".waiting-message")).toHaveCount(0);
  await expect(stop).toHaveText("Stop");
  await expect(stop).toBeEnabled();
  await stop.click();
  await expect(page.locator('[data-turn-id][data-state="cancelled"]')).toHaveCount(2);
});

test("while a turn runs a message can be sent, and waits", async ({ page, server }) => {
  await hanging(page, server);
  await message(page).fill("help");
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.locator(".waiting-message")).toHaveText(/help/);
});

test("an agent is ended only after a question, and resumed by a button", async ({ page, server }) => {
  const sessionId = await hanging(page, server);
  await page.keyboard.press("Alt+x");
  const dialog = page.getByRole("dialog", { name: "End the agent?" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.locator(".composer-hint")).not.toContainText("again");
  await page.getByRole("button", { name: "End agent" }).click();
  await dialog.getByRole("button", { name: "End agent" }).click();
  await expect(banner(page)).toContainText("The agent was ended");
  await expect(banner(page)).toContainText("send a message");
  const isAlive = async () =>
    (await server.call<{ isAlive: boolean }>("GET", `/api/session/${sessionId}/status`)).isAlive;
  await expect.poll(isAlive).toBe(false);
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await expect(banner(page)).toBeHidden();
  await expect.poll(isAlive).toBe(true);
});

test("what is always allowed is listed, and taken back after a question", async ({ page, server }) => {
  const sessionId = await opened(page, server);
  const allowed = page.getByRole("button", { name: /^Allowed always/ });
  await server.send(sessionId, "write one.md: one");
  await give(cards(page).getByRole("button", { name: "Allow all edits in this session" }));
  await expect(allowed).toHaveText("Allowed always: 1");
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toHaveCount(1);
  await server.send(sessionId, "write two.md: two");
  await expect(page.locator('[data-turn-id][data-state="completed"]'), "nobody is asked").toHaveCount(2);
  await page.keyboard.press("Alt+Shift+y");
  const dialog = page.getByRole("dialog", { name: "Allowed without asking" });
  await expect(dialog.getByRole("listitem")).toHaveText([
    /^Allow all edits in this session \(asked for: .*one\.md/,
  ]);
  await page.keyboard.press("Escape");
  await allowed.click();
  await dialog.getByRole("button", { name: "Take back" }).click();
  await expect(banner(page)).toContainText("The agent was ended");
  await expect(allowed).toBeHidden();
  await server.send(sessionId, "write three.md: three");
  await expect(cards(page), "it asks again").toHaveCount(1);
});

test("an agent that died says why, and a message brings it back", async ({ page, server }) => {
  await opened(page, server);
  await message(page).fill("crash");
  await message(page).press("Enter");
  await expect(banner(page)).toContainText("The agent stopped by itself");
  await expect(page.locator(".agent-banner-reason")).not.toBeEmpty();
  await message(page).fill("help");
  await message(page).press("Enter");
  await expect(banner(page)).toBeHidden();
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
});

test("an agent that is being started says so", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  const sessionId = await opened(page, server);
  const status = await server.call<object>("GET", `/api/session/${sessionId}/status`);
  sockets.at(-1)?.send(JSON.stringify({ type: "session:status", ...status, state: "loading" }));
  await expect(banner(page)).toContainText("Launching agent…");
  sockets.at(-1)?.send(JSON.stringify({ type: "session:status", ...status }));
  await expect(banner(page)).toBeHidden();
});

test("work in the background is listed, and each piece can be stopped", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  const sessionId = await opened(page, server);
  const stopped: string[] = [];
  await page.route("**/task/*/stop", (route) => {
    stopped.push(new URL(route.request().url()).pathname.split("/").at(-2) ?? "");
    return route.fulfill({ json: { stopped: true } });
  });
  const status = await server.call<object>("GET", `/api/session/${sessionId}/status`);
  const task = (taskId: string) => ({ taskId, kind: "shell", description: `npm run ${taskId}` });
  const tell = (...tasks: object[]) =>
    sockets.at(-1)?.send(JSON.stringify({ type: "session:status", ...status, backgroundTasks: tasks }));
  tell(task("dev"), task("test"));
  await expect(page.locator(".task")).toHaveText([/npm run dev/, /npm run test/]);
  await page.getByRole("button", { name: "Stop task: npm run test" }).click();
  await expect.poll(() => stopped).toEqual(["test"]);
  tell(task("dev"));
  await expect(page.locator(".task")).toHaveText([/npm run dev/]);
});

test.describe("another version", () => {
  test.use({ refusals: /ERR_|WebSocket connection|status of/ });

  test("that the server serves after a reconnect is spoken of, and nothing is reloaded", async ({
    page,
    server,
  }) => {
    const sessionId = await opened(page, server);
    await message(page).fill("a draft");
    await server.kill();
    await expect(page.locator(".connection-banner")).toBeVisible();
    await server.restart();
    await expectLive(page);
    await expect(page.locator(".version-banner")).toBeHidden();
    await serveNewerVersion(page, server);
    await expect(page.locator(".version-banner")).toBeVisible();
    await expect(page.locator(".version-banner")).toContainText("A new version is running here.");
    await expectLive(page);
    await expect(message(page)).toHaveValue("a draft");
    await page.unrouteAll();
    await page.getByRole("button", { name: "Reload" }).click();
    await expectLive(page);
    await expect(page.locator(".version-banner")).toBeHidden();
    await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}$`));
    await expect(message(page)).toHaveValue("a draft");
  });
});
