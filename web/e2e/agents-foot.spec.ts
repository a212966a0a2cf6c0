/** How it stands with the agents is told at the foot of the list, with a way to bring back one that is away. */
import type { WebSocketRoute } from "@playwright/test";
import { expect, test } from "./fixtures";
import { logIn, showList } from "./transcript-page";

test("agents are counted, and the line leads to where each is told", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await server.createAgentSession("demo");
  await page.goto(`${server.origin}/#/wall`);
  await showList(page);
  const line = page.locator(".agents-line");
  await expect(line).toHaveText(/^\d+ agents? ready(, \d+ not)?$/);
  await line.click();
  await expect(page).toHaveURL(/#\/new$/);
  await expect(page.getByRole("form", { name: "New session" })).toBeVisible();
});

test("an agent that is away is named, and asked for again", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  const asked: string[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    sockets.push(socket);
    const upstream = socket.connectToServer();
    socket.onMessage((text) => {
      const frame = JSON.parse(String(text));
      if (frame.type === "session:reconnect") asked.push(frame.cliType);
      upstream.send(text);
    });
  });
  await logIn(page, server.loginUrl);
  await expect(page.locator(".agents-line")).toHaveText(/ready/);
  sockets.at(-1)?.send(JSON.stringify({ type: "agent:status", cliType: "demo", status: "disconnected" }));
  await showList(page);
  const again = page.getByRole("button", { name: /^Reconnect / });
  await expect(page.locator(".agent-away")).toContainText("is away");
  await again.click();
  await expect.poll(() => asked).toEqual(["demo"]);
  await expect(page.locator(".agent-away")).toHaveCount(0);
});
