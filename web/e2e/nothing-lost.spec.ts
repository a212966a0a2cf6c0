/** What a person writes is not lost, not doubled, and goes where it was meant to. */
import type { Page, WebSocketRoute } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, logIn, openSession } from "./transcript-page";

const message = (page: Page) => page.getByLabel("Message", { exact: true });
const prompts = (page: Page) => page.locator('[data-type="message"][data-origin="user"]');
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const waiting = (page: Page) => page.locator(".waiting-message");
const problem = (page: Page) => page.locator(".problem");

async function demo(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await expect(message(page)).toBeVisible();
  return sessionId;
}

async function busy(page: Page, server: Server, ...texts: string[]): Promise<string> {
  const sessionId = await demo(page, server);
  for (const text of ["hang", ...texts]) await server.send(sessionId, text);
  await expect(waiting(page)).toHaveCount(texts.length);
  return sessionId;
}

async function edit(page: Page, text: string): Promise<void> {
  await waiting(page).first().hover();
  await waiting(page).first().getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("Text that waits").first().fill(text);
}

test.describe("a changed text that waits", () => {
  test.use({ refusals: /status of (401|409)|ERR_FAILED/ });

  test("comes back when its message began meanwhile", async ({ page, server }) => {
    await busy(page, server, "help");
    await page.route("**/queue/*", (route) =>
      route.fulfill({ status: 409, json: { code: "TURN_ALREADY_STARTED", message: "turn t has started" } }),
    );
    await message(page).fill("a draft");
    await edit(page, "my better words");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(message(page)).toHaveValue("my better words\n\na draft");
    await expect(problem(page)).toContainText("has begun meanwhile");
    await expect(problem(page)).toContainText("stands below");
  });

  test("comes back to its own session when there is no answer", async ({ page, server }) => {
    const first = await busy(page, server, "help");
    const second = await server.createAgentSession("demo");
    let fail = () => {};
    const left = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route("**/queue/*", async (route) => {
      await left;
      await route.abort();
    });
    await edit(page, "my better words");
    await page.getByRole("button", { name: "Save" }).click();
    await openSession(page, second);
    fail();
    await expect(problem(page)).toContainText("does not answer");
    await expect(message(page)).toHaveValue("");
    await openSession(page, first);
    await expect(message(page)).toHaveValue("my better words");
  });
});

test.describe("a long text", () => {
  test.use({ refusals: /status of (401|413)/ });

  test("arrives, or comes back with the reason, and the connection stays", async ({ page, server }) => {
    await demo(page, server);
    let sockets = 0;
    page.on("websocket", () => {
      sockets += 1;
    });
    await message(page).fill("help ".repeat(190_000));
    await send(page).click();
    await expect(prompts(page)).toHaveCount(1);
    await expect(waiting(page)).toHaveCount(0);
    const tooLong = "x".repeat(1_100_000);
    await message(page).fill(tooLong);
    await send(page).click();
    await expect(problem(page)).toContainText("must not exceed");
    await expect(message(page)).toHaveValue(tooLong);
    await expect(waiting(page)).toHaveCount(0);
    await expectLive(page);
    expect(sockets).toBe(0);
  });
});

test("a session that is started late does not take away who went elsewhere", async ({ page, server }) => {
  const other = await demo(page, server);
  await page.goto(`${server.origin}/#/new`);
  let start = () => {};
  const allowed = new Promise<void>((resolve) => {
    start = resolve;
  });
  await page.route("**/api/session/create", async (route) => {
    await allowed;
    await route.continue();
  });
  await page.getByLabel("First prompt").fill("list files");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await expect(page.getByRole("button", { name: "Starting" })).toBeDisabled();
  await expect(page.getByLabel("First prompt")).not.toBeEditable();
  await openSession(page, other);
  await message(page).fill("for the other");
  start();
  const sessions = page.locator("[data-session-id]");
  await expect(sessions).toHaveCount(2);
  const created = sessions.filter({ hasText: "list files" });
  await expect(created, "its first prompt was said there").toHaveCount(1);
  await expect(page).toHaveURL(new RegExp(`#/s/${other}$`));
  await expect(message(page)).toHaveValue("for the other");
  await expect(prompts(page)).toHaveCount(0);
  await page.goto(`${server.origin}/#/new`);
  await expect(page.getByLabel("First prompt")).toHaveValue("");
  await expect(page.getByLabel("First prompt")).toBeEditable();
});

test.describe("in two windows", () => {
  test("a draft is the same, and the one that is typed in wins", async ({ page, context, server }) => {
    const sessionId = await demo(page, server);
    const other = await context.newPage();
    await other.goto(`${server.origin}/#/s/${sessionId}`);
    await expect(message(other)).toHaveValue("");
    await message(page).fill("begun here");
    await expect(message(other)).toHaveValue("begun here");
    await message(other).press("End");
    await message(other).pressSequentially(", ended there");
    await expect(message(page)).toHaveValue("begun here, ended there");
    await expect(send(page)).toBeEnabled();
    const another = await server.createAgentSession("demo");
    await openSession(page, another);
    await message(page).fill("for another session");
    await expect(message(other)).toHaveValue("begun here, ended there");
    await message(other).press("Enter");
    await expect(prompts(other)).toHaveCount(1);
    await expect(message(page)).toHaveValue("for another session");
    await openSession(page, sessionId);
    await expect(message(page)).toHaveValue("");
    await expect(prompts(page)).toHaveCount(1);
  });

  test("the first prompt of a new session is the same", async ({ page, context, server }) => {
    await logIn(page, server.loginUrl);
    const other = await context.newPage();
    await other.goto(`${server.origin}/#/new`);
    await page.getByLabel("First prompt").fill("list files");
    await expect(other.getByLabel("First prompt")).toHaveValue("list files");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect(prompts(page)).toHaveCount(1);
    await expect(other.getByLabel("First prompt")).toHaveValue("");
  });

  test("what is sent in one leaves the reader of the other where they are", async ({
    page,
    context,
    server,
  }) => {
    const sessionId = await demo(page, server);
    await server.send(sessionId, Array.from({ length: 300 }, (_, line) => `line ${line}\n`).join("\n"));
    await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible();
    const other = await context.newPage();
    await other.goto(`${server.origin}/#/s/${sessionId}`);
    const transcript = other.getByLabel("Transcript", { exact: true });
    await expect(prompts(other)).toHaveCount(1);
    await transcript.evaluate((box) => box.scrollTo({ top: 400 }));
    await expect(other.getByRole("button", { name: "Jump to latest" })).toBeVisible();
    await message(page).fill("help");
    await message(page).press("Enter");
    await expect(prompts(other)).toHaveCount(2);
    expect(await transcript.evaluate((box) => box.scrollTop)).toBe(400);
    await expect(other.getByRole("button", { name: /^Jump to latest/ })).toBeVisible();
  });

  test("what one was about to change when it was closed is sent by the other", async ({
    page,
    context,
    server,
  }) => {
    const open: WebSocketRoute[] = [];
    let isCut = false;
    await page.routeWebSocket(/\/ws$/, (socket) => {
      if (isCut) return void socket.close();
      open.push(socket);
      socket.connectToServer();
    });
    const sessionId = await demo(page, server);
    // Nothing is sent before it is being changed.
    isCut = true;
    await Promise.all(open.map((socket) => socket.close()));
    const other = await context.newPage();
    await other.routeWebSocket(/\/ws$/, (socket) => void socket.close());
    await other.goto(`${server.origin}/#/s/${sessionId}`);
    await expect(other.locator(".connection")).toContainText("Offline");
    await message(other).fill("help");
    await send(other).click();
    await waiting(other).getByRole("button", { name: "Edit" }).click();
    await expect(other.locator(".waiting-field")).toBeFocused();
    await expect(waiting(page)).toContainText("help");
    isCut = false;
    await expectLive(page);
    await expect(waiting(page)).toContainText("help");
    await other.close();
    await expect(prompts(page)).toHaveText([/help/]);
    await expect(waiting(page)).toHaveCount(0);
  });

  test("what one leaves unsent is sent by the other, once", async ({ page, context, server }) => {
    const sessionId = await demo(page, server);
    const other = await context.newPage();
    // Without a connection, whatever the other one has.
    await other.routeWebSocket(/\/ws$/, (socket) => void socket.close());
    await other.goto(`${server.origin}/#/s/${sessionId}`);
    await expect(other.locator(".connection")).toContainText("Offline");
    await message(other).fill("help");
    await send(other).click();
    await expect(waiting(other)).toContainText("help");
    await other.close();
    await expect(prompts(page)).toHaveText([/help/]);
    await expect(waiting(page)).toHaveCount(0);
    await page.reload();
    await expect(prompts(page)).toHaveText([/help/]);
    await expect(waiting(page)).toHaveCount(0);
  });
});
