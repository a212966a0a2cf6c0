/** What is not there yet has a shape and a name, and gives way to what comes. */
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
