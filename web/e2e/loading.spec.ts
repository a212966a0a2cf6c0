/** What is not there yet has a shape and a name, and gives way to what comes. */
import type { SessionCreated } from "../src/contract";
import { expect, test } from "./fixtures";
import { logIn } from "./transcript-page";

for (const [name, loading, loaded] of [
  ["inbox", "Loading what waits for you", ".page-empty"],
  ["wall", "Loading sessions", ".tile"],
] as const) {
  test(`the ${name} is drawn while it is fetched`, async ({ page, server }) => {
    await logIn(page, server.loginUrl);
    await server.createSession("One");
    let letGo = () => {};
    const held = new Promise<void>((done) => {
      letGo = done;
    });
    await page.route("**/api/session/list?*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#/${name}`);
    const shape = page.locator("main").getByRole("img", { name: loading });
    await expect(shape).toBeVisible();
    const there = page.locator(`main.${name} ${loaded}`);
    await expect(there).toBeHidden();
    letGo();
    await expect(there).toBeVisible();
    await expect(shape).toBeHidden();
  });
}

test("a session is drawn while it is fetched", async ({ page, server }) => {
  let letGo = () => {};
  const held = new Promise<void>((done) => {
    letGo = done;
  });
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const upstream = socket.connectToServer();
    upstream.onMessage(async (text) => {
      if (String(text).includes('"session:history"')) await held;
      socket.send(text);
    });
  });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Slow");
  await page.goto(`${server.origin}/#/s/${sessionId}`);
  const shape = page.getByRole("img", { name: "Loading the session" });
  await expect(shape).toBeVisible();
  letGo();
  await expect(page.getByText("Nothing has happened in this session yet.")).toBeVisible();
  await expect(shape).toBeHidden();
});

test("nothing of the frame moves once the first of it is drawn", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const { sessionId } = await server.call<SessionCreated>("POST", "/api/session/create", {
    cliType: "demo",
    projectDir: server.projectDirectory,
  });
  await server.call("POST", `/api/session/${sessionId}/send`, { content: "help" });
  await server.call("GET", `/api/session/${sessionId}/wait`);
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      const heights = [".transcripts", ".sidebar-scroll"].map(
        (part) => document.querySelector(part)?.clientHeight,
      );
      const found = heights.join(", ");
      if (!heights.includes(undefined) && seen.at(-1) !== found) seen.push(found);
    };
    // A message that is posted before a frame is drawn arrives right after it.
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = look;
    const next = () => {
      port1.postMessage("drawn");
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await page.goto("about:blank");
  await page.goto(`${server.origin}/#/s/${sessionId}`);
  await expect(page.locator(".composer-tools .picker").first()).toBeVisible();
  await expect(page.locator("[data-item-id]").last()).toBeVisible();
  await expect(page.locator('.agents-foot[data-awaited="false"]')).toHaveCount(1);
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toHaveLength(1);
});
