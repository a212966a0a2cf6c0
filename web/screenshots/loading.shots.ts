/** What is seen before anything is there. */
import { openList, type Shot, take } from "./shot";

/** Whatever is asked of these addresses is never answered. */
async function without({ page, server }: Shot, addresses: string, hash: string): Promise<void> {
  await server.createSession("Any");
  await page.route(addresses, () => {});
  await page.goto("about:blank");
  await page.goto(`${server.origin}/${hash}`);
  await page.waitForTimeout(800);
}

take({
  "loading-page": async (shot) => without(shot, "**/api/projects", "#/new"),
  "loading-list": async (shot) => without(shot, "**/api/session/list*", "#/new"),
  "loading-inbox": async (shot) => without(shot, "**/api/session/list?*", "#/inbox"),
  "loading-wall": async (shot) => without(shot, "**/api/session/list?*", "#/wall"),
  "loading-agents": async (shot) => without(shot, "**/api/agents*", "#/new"),
  "loading-session": async (shot) => {
    const sessionId = await shot.server.createSession("Slow to come");
    await shot.page.routeWebSocket(/\/ws$/, (socket) => {
      socket.connectToServer().onMessage((text) => {
        if (!String(text).includes('"session:history"')) socket.send(text);
      });
    });
    await shot.page.goto("about:blank");
    await shot.page.goto(`${shot.server.origin}/#/s/${sessionId}`);
    await shot.page.getByRole("img", { name: "Loading the session" }).waitFor();
  },
  "loading-imports": async (shot) => {
    const { page, server } = shot;
    await server.createSession("Any");
    await page.route("**/importable*", () => {});
    await openList(shot);
    await page.getByRole("button", { name: /^Actions for project/ }).click();
    await page.getByRole("menuitem", { name: "Import sessions…" }).click();
    await page.getByRole("dialog").waitFor();
  },
  "loading-search": async (shot) => {
    const { page } = shot;
    await page.route("**/api/search*", () => {});
    await page.keyboard.press("Control+Shift+f");
    await page.keyboard.type("login");
    await page.waitForTimeout(600);
  },
});
