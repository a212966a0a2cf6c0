/** Being offline, and a server that stops or dies: nothing is lost, nothing is doubled, and the reader is told. */
import type { Locator, Page } from "@playwright/test";
import { whileAsleep } from "./asleep";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, itemsOfType, logIn, openSession, textOf, turnLine } from "./transcript-page";
import { wordDeltas, words } from "./words";

const TURN = "t1";

// What the browser says of a server that is not there is what these tests are about.
test.use({ refusals: /ERR_|WebSocket connection/ });

async function streaming(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Streams");
  await openSession(page, sessionId);
  await server.postEvents(
    sessionId,
    TURN,
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
    ...wordDeltas("m1", 0, 12),
  );
  await expect(textOf(itemsOfType(page, "message"))).toContainText("word11 ");
  return sessionId;
}

async function finish(server: Server, sessionId: string, from: number, to: number): Promise<void> {
  const finalItem = { type: "message", content: words(0, to), origin: "agent" } as const;
  await server.postEvents(
    sessionId,
    TURN,
    ...wordDeltas("m1", from, to),
    { type: "item_done", itemId: "m1", finalItem },
    { type: "response_done", status: "completed" },
  );
}

/** The page is back, has every word so far once, and goes on to the end. */
async function expectWhole(page: Page, server: Server, sessionId: string, said: number): Promise<void> {
  await expectLive(page);
  await expect(textOf(itemsOfType(page, "message"))).toHaveText(words(0, said).trim());
  await finish(server, sessionId, said, said + 30);
  const message = itemsOfType(page, "message");
  await expect(message).toHaveAttribute("data-status", "complete");
  expect(await textOf(message).textContent()).toBe(words(0, said + 30));
  await expect(message).toHaveCount(1);
}

test("offline for 10 s while text streams: nothing is lost or doubled", async ({ page, context, server }) => {
  const network = { isLost: false };
  // Chromium takes requests off the network, but not sockets: these go silent here, as they do when a cable is pulled.
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (network.isLost) return void socket.close();
    const upstream = socket.connectToServer();
    socket.onMessage((text) => !network.isLost && upstream.send(text));
    upstream.onMessage((text) => !network.isLost && socket.send(text));
  });
  const sessionId = await streaming(page, server);
  network.isLost = true;
  await context.setOffline(true);
  const until = Date.now() + 10_000;
  let at = 12;
  while (Date.now() < until) {
    await server.postEvents(sessionId, TURN, ...wordDeltas("m1", at, at + 15));
    at += 15;
    await page.waitForTimeout(400);
  }
  await expect(page.locator(".connection")).toContainText("Offline");
  network.isLost = false;
  await context.setOffline(false);
  await expectWhole(page, server, sessionId, at);
});

test("a laptop sleeps for half a minute while text streams: nothing is lost or doubled", async ({
  page,
  server,
}) => {
  const sessionId = await streaming(page, server);
  let at = 12;
  await whileAsleep(async () => {
    // Longer than the server waits for a sign of life.
    const until = Date.now() + 30_000;
    while (Date.now() < until) {
      await server.postEvents(sessionId, TURN, ...wordDeltas("m1", at, at + 15));
      at += 15;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  await expectWhole(page, server, sessionId, at);
});

test("a server that is killed and started again mid-stream: the view goes on", async ({ page, server }) => {
  const sessionId = await streaming(page, server);
  const before = await itemsOfType(page, "message").elementHandle();
  await server.kill();
  await expect(page.locator(".connection-banner")).toContainText("Trying again");
  await expect(textOf(itemsOfType(page, "message"))).toContainText("word11 ");
  await server.restart();
  await expectLive(page);
  await expect(page.locator(".connection-banner")).toBeHidden();
  const message = itemsOfType(page, "message").first();
  await expect(textOf(message)).toContainText("word11 ");
  expect(await message.evaluate((now, then) => now === then, before)).toBe(true);
  await expectCutShort(page, message, TURN);
  const next = { type: "message", content: words(0, 40), origin: "agent" } as const;
  await server.postEvents(
    sessionId,
    "t2",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m2", itemType: "message" },
    ...wordDeltas("m2", 0, 40),
    { type: "item_done", itemId: "m2", finalItem: next },
    { type: "response_done", status: "completed" },
  );
  const last = itemsOfType(page, "message").last();
  await expect(last).toHaveAttribute("data-status", "complete");
  expect(await textOf(last).textContent()).toBe(words(0, 40));
  await expect(itemsOfType(page, "message")).toHaveCount(2);
});

test("a server that is killed while an agent of its own writes: its turn ends, and can be followed by another", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "slow");
  const message = page.locator('[data-type="message"][data-origin="agent"]').last();
  await expect(textOf(message)).not.toBeEmpty();
  const running = page.locator('[data-turn-id][data-state="running"]');
  const turnId = (await running.getAttribute("data-turn-id")) ?? "";
  await server.kill();
  await expect(page.locator(".connection-banner")).toContainText("Trying again");
  await server.restart();
  await expectLive(page);
  await expectCutShort(page, message, turnId);
  await server.send(sessionId, "help");
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 30_000 });
});

/** What the server was in the middle of when it died has ended, and says how. */
async function expectCutShort(page: Page, message: Locator, turnId: string): Promise<void> {
  await expect(message).toHaveAttribute("data-status", "error");
  await expect(message).toHaveAttribute("data-ending", "stopped");
  await expect(message.locator(".item-ending")).toHaveText("Interrupted");
  await expect(turnLine(page, turnId)).toContainText("The turn was cut short");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toHaveCount(0);
  await expect(page.locator(".session-header .activity")).not.toHaveText("Working");
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeHidden();
}

test("a server that is about to stop says so, and is there again afterwards", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  // A turn that runs makes the server wait for it.
  await server.send(sessionId, "hang");
  await expect(page.locator('[data-turn-id][data-state="running"]')).toBeVisible();
  server.askToStop();
  await expect(page.locator(".connection-banner")).toHaveText("The server is restarting…");
  await server.call("POST", `/api/session/${sessionId}/cancel`, {}).catch(() => undefined);
  await server.restart();
  await expectLive(page);
  await expect(page.locator(".connection-banner")).toBeHidden();
});

test("a message that is sent without a connection waits, outlives a reload and arrives once", async ({
  page,
  server,
}) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  const gate = { isOpen: false };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (gate.isOpen) socket.connectToServer();
    else void socket.close();
  });
  await page.reload();
  await expect(page.locator(".connection")).toContainText("Offline");
  await page.getByLabel("Message", { exact: true }).fill("help");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("");
  await page.getByLabel("Message", { exact: true }).fill("a draft");
  const waiting = page.locator(".waiting-message");
  await expect(waiting).toContainText("help");
  await expect(waiting).toContainText("Waiting for the connection");
  await page.reload();
  await expect(waiting).toContainText("Waiting for the connection");
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("a draft");
  gate.isOpen = true;
  await expectLive(page);
  await expect(waiting).toHaveCount(0);
  const prompts = page.locator('[data-type="message"][data-origin="user"]');
  await expect(prompts).toHaveText(/help/);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 30_000 });
  await page.reload();
  await expectLive(page);
  await expect(prompts).toHaveCount(1);
  await expect(page.getByLabel("Message", { exact: true })).toHaveValue("a draft");
});

test("a message whose confirmation was lost is not sent twice", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  let connections = 0;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    connections += 1;
    const isFirst = connections === 1;
    const upstream = socket.connectToServer();
    upstream.onMessage((text) => {
      // The connection breaks when the server says that it has the message.
      if (isFirst && String(text).includes('"session:sent"')) void socket.close();
      else socket.send(text);
    });
  });
  await page.reload();
  await expectLive(page);
  await openSession(page, sessionId);
  await page.getByLabel("Message", { exact: true }).fill("help");
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => connections).toBeGreaterThan(1);
  await expectLive(page);
  await expect(page.locator(".waiting-message")).toHaveCount(0);
  await expect(page.locator('[data-turn-id][data-state="completed"]')).toBeVisible({ timeout: 30_000 });
  await expect(page.locator('[data-type="message"][data-origin="user"]')).toHaveCount(1);
});

test("what had not begun when the server died is shown as paused", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("demo");
  await openSession(page, sessionId);
  await server.send(sessionId, "hang");
  await server.send(sessionId, "help");
  const waiting = page.locator(".waiting-message");
  await expect(waiting).toContainText("Waits for its turn");
  await server.kill();
  await server.restart();
  await expectLive(page);
  await expect(waiting).toHaveText(/help.*Paused/);
  await page.reload();
  await expectLive(page);
  await expect(waiting).toHaveText(/help.*Paused/);
});

test("growth that does not fit makes the page fetch the item, once, and go on", async ({ page, server }) => {
  const toDrop = { count: 0 };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const upstream = socket.connectToServer();
    upstream.onMessage((text) => {
      const isDropped = toDrop.count > 0 && String(text).includes('"session:delta"');
      if (isDropped) toDrop.count -= 1;
      else socket.send(text);
    });
  });
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/item/")) fetched.push(request.url());
  });
  const sessionId = await streaming(page, server);
  toDrop.count = 1;
  for (const at of [12, 42, 72]) await server.postEvents(sessionId, TURN, ...wordDeltas("m1", at, at + 30));
  await finish(server, sessionId, 102, 150);
  const message = itemsOfType(page, "message");
  await expect(message).toHaveAttribute("data-status", "complete");
  expect(await textOf(message).textContent()).toBe(words(0, 150));
  expect(toDrop.count).toBe(0);
  expect(fetched).toHaveLength(1);
});
