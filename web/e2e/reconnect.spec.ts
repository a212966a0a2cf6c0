/** A connection that is lost comes back by itself and misses nothing. */
import type { WebSocketRoute } from "@playwright/test";
import { expect, test } from "./fixtures";
import { expectLive, itemsOfType, listedSession, logIn, openSession, textOf } from "./transcript-page";
import { wordDeltas, words } from "./words";

test("what happened while the connection was lost is there after it", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  const gate = { open: true };
  await page.routeWebSocket(/\/ws$/, async (socket) => {
    if (!gate.open) return socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Lost and found");
  await openSession(page, sessionId);
  await server.postEvents(
    sessionId,
    "t1",
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
    ...wordDeltas("m1", 0, 12),
  );
  const message = itemsOfType(page, "message");
  await expect(textOf(message)).toContainText("word11 ");
  const before = await message.elementHandle();

  gate.open = false;
  for (const socket of sockets) await socket.close();
  await expect(page.locator(".connection")).toContainText("Offline");
  const finalItem = { type: "message", content: words(0, 60), origin: "agent" } as const;
  await server.postEvents(
    sessionId,
    "t1",
    ...wordDeltas("m1", 12, 60),
    { type: "item_done", itemId: "m1", finalItem },
    { type: "response_done", status: "completed" },
  );
  const other = await server.createSession("Made meanwhile");
  gate.open = true;

  await expectLive(page);
  await expect(message).toHaveAttribute("data-status", "complete");
  expect(await textOf(message).textContent()).toBe(words(0, 60));
  expect(await message.evaluate((now, then) => now === then, before)).toBe(true);
  await expect(listedSession(page, other)).toHaveCount(1);
});
