/** What reaches someone who looks at something else. */
import type { Page, WebSocketRoute } from "@playwright/test";
import { give } from "./asking-page";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { expectLive, logIn, openSession, runFromPalette } from "./transcript-page";

const PROMPT = JSON.stringify({ title: "Run make", kind: "execute", rawInput: { command: "make" } });

type Told = { title: string; body: string };

/** Notes notifications and sounds instead of making them, and lets the page believe that it is hidden. */
async function prepared(page: Page, preferences: object): Promise<void> {
  await page.addInitScript((chosen) => {
    const noted = window as unknown as { told: Told[]; sounds: number; hiddenNow: boolean };
    Object.assign(noted, { told: [], sounds: 0, hiddenNow: false });
    localStorage.setItem("liminal-preferences", JSON.stringify(chosen));
    class Noted {
      static permission = "granted";
      onclick = () => {};
      constructor(title: string, { body }: { body: string }) {
        noted.told.push({ title, body });
        Object.assign(noted, { last: this });
      }
      close() {}
    }
    Object.assign(window, { Notification: Noted });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (when) {
      noted.sounds += 1;
      return start.call(this, when);
    };
    Object.defineProperty(document, "hidden", { get: () => noted.hiddenNow });
  }, preferences);
}

const hide = (page: Page, hidden: boolean) =>
  page.evaluate((now) => {
    (window as unknown as { hiddenNow: boolean }).hiddenNow = now;
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
const told = (page: Page) => page.evaluate(() => (window as unknown as { told: Told[] }).told);
const icon = (page: Page) => page.locator('link[rel="icon"]');

async function asking(server: Server): Promise<string> {
  const sessionId = await server.createAgentSession("asking");
  await server.send(sessionId, PROMPT);
  return sessionId;
}

test.use({ settings: ASKING_AGENT });

test("sessions that wait are counted in the title and dot the icon", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await expect(page).toHaveTitle("Liminal Builder");
  await expect(icon(page)).toHaveAttribute("href", "/favicon.svg");
  const sessionId = await asking(server);
  await asking(server);
  await expect(page).toHaveTitle("(2) Liminal Builder");
  await expect(icon(page)).toHaveAttribute("href", "/favicon-waiting.svg");
  const dotted = await page.request.get(`${server.origin}/favicon-waiting.svg`);
  expect(dotted.headers()["content-type"]).toContain("image/svg+xml");
  await openSession(page, sessionId);
  await give(page.getByRole("button", { name: "Allow", exact: true }));
  await expect(page).toHaveTitle(/^\(1\) /);
});

test("a muted session is not counted in the title", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await asking(server));
  await expect(page).toHaveTitle(/^\(1\) /);
  await page.keyboard.press("Alt+h");
  await expect(page).toHaveTitle(/^(?!\()/);
  await expect(icon(page)).toHaveAttribute("href", "/favicon.svg");
  await page.keyboard.press("Alt+h");
  await expect(page).toHaveTitle(/^\(1\) /);
});

test("a hidden page tells that a session needs you and that it has finished", async ({ page, server }) => {
  await prepared(page, { notifications: true, sound: true });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("asking");
  await openSession(page, sessionId);
  await hide(page, true);
  await server.send(sessionId, PROMPT);
  await expect
    .poll(async () => (await told(page)).map(({ body }) => body))
    .toEqual(["Needs your answer: Run make"]);
  expect(await page.evaluate(() => (window as unknown as { sounds: number }).sounds)).toBeGreaterThan(0);
  const { permissions } = await server.call<{
    permissions: { permissionId: string; options: { optionId: string }[] }[];
  }>("GET", `/api/session/${sessionId}/status`);
  const [request] = permissions;
  await server.call("POST", `/api/session/${sessionId}/permission/${request?.permissionId}`, {
    optionId: request?.options[0]?.optionId,
  });
  await expect.poll(async () => (await told(page)).at(-1)?.body).toBe("Finished");
  await page.evaluate(() => {
    location.hash = "#/new";
    (window as unknown as { last: { onclick(): void } }).last.onclick();
  });
  await expect(page).toHaveURL(new RegExp(`#/s/${sessionId}$`));
});

const sounds = (page: Page) => page.evaluate(() => (window as unknown as { sounds: number }).sounds);

/** Another window of the same browser. */
async function secondWindow(page: Page): Promise<Page> {
  const other = await page.context().newPage();
  await prepared(other, { notifications: true, sound: true });
  await other.goto(page.url());
  await expectLive(other);
  return other;
}

test("of several hidden windows one tells", async ({ page, server }) => {
  await prepared(page, { notifications: true, sound: true });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("asking");
  const windows = [page, await secondWindow(page), await secondWindow(page)];
  for (const one of windows) {
    await openSession(one, sessionId);
    await hide(one, true);
  }
  await server.send(sessionId, PROMPT);
  for (const one of windows) await expect(one).toHaveTitle(/^\(1\) /);
  const all = async () => (await Promise.all(windows.map(told))).flat().map(({ body }) => body);
  await expect.poll(all).toEqual(["Needs your answer: Run make"]);
  const notes = (await Promise.all(windows.map(sounds))).filter((count) => count > 0);
  expect(notes, "one of them is heard").toHaveLength(1);

  // The one that told is closed: another one does.
  const silent: Page[] = [];
  for (const one of windows) if ((await told(one)).length === 0) silent.push(one);
  for (const one of windows) if (!silent.includes(one)) await one.close();
  await server.call("POST", `/api/session/${sessionId}/cancel`);
  await expect
    .poll(async () => (await Promise.all(silent.map(told))).flat().map(({ body }) => body))
    .toEqual(["Finished"]);
});

test("a hidden window tells nothing of what another one shows that is in sight", async ({ page, server }) => {
  await prepared(page, { notifications: true, sound: true });
  await logIn(page, server.loginUrl);
  const watched = await server.createAgentSession("demo");
  const unwatched = await server.createAgentSession("asking");
  await openSession(page, watched);
  const hidden = await secondWindow(page);
  await hide(hidden, true);
  await server.send(watched, "fail");
  await expect(hidden.locator('[data-turn-id]:not([data-state="running"])')).toHaveCount(1);
  await server.send(unwatched, PROMPT);
  await expect
    .poll(async () => (await told(hidden)).map(({ body }) => body))
    .toEqual(["Needs your answer: Run make"]);
  await hide(page, true);
  await server.send(watched, "fail");
  const all = async () => [...(await told(page)), ...(await told(hidden))].map(({ body }) => body);
  await expect.poll(all, "nobody looks at it any more").toContain("Failed");
});

test("what failed is told", async ({ page, server }) => {
  await prepared(page, { notifications: true });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await hide(page, true);
  await server.send(sessionId, "fail");
  await expect.poll(async () => (await told(page)).map(({ body }) => body)).toEqual(["Failed"]);
});

test("a first load and a reconnect tell nothing that was there before", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await prepared(page, { notifications: true });
  await asking(server);
  const failed = await server.createAgentSession("demo");
  await server.send(failed, "fail");
  await logIn(page, server.loginUrl);
  await hide(page, true);
  await expect(page).toHaveTitle(/^\(1\) /);
  await expect(page.locator(".activity", { hasText: "Error" })).toBeVisible();
  await sockets.at(-1)?.close();
  await expect.poll(() => sockets.length).toBeGreaterThan(1);
  await expectLive(page);
  // What is told after this has come after all that a reconnect tells.
  await asking(server);
  await expect(page).toHaveTitle(/^\(2\) /);
  expect((await told(page)).map(({ body }) => body)).toEqual(["Needs your answer: Run make"]);
});

test("nothing is told of a muted session, nor while the page is looked at", async ({ page, server }) => {
  await prepared(page, { notifications: true });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  const turns = page.locator('[data-turn-id]:not([data-state="running"])');
  await server.send(sessionId, "fail");
  await expect(turns).toHaveCount(1);
  await runFromPalette(page, "mute this session");
  await hide(page, true);
  await server.send(sessionId, "help");
  await expect(turns).toHaveCount(2, { timeout: 30_000 });
  expect(await told(page)).toEqual([]);
  await runFromPalette(page, "unmute");
  await server.send(sessionId, "help");
  await expect
    .poll(async () => (await told(page)).map(({ body }) => body), { timeout: 30_000 })
    .toEqual(["Finished"]);
});
