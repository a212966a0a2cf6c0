/** A network on which nothing arrives in the usual order, to find what only holds when everything is quick:
 * `LIMINAL_E2E_UNEVEN=400` delays every answer, and every message of a socket, by up to that many milliseconds. */
import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, WebSocketRoute } from "@playwright/test";

const MOST_MS = Number(process.env.LIMINAL_E2E_UNEVEN ?? 0);

export async function makeUneven(context: BrowserContext): Promise<void> {
  if (MOST_MS === 0) return;
  await context.route("**/*", async (route) => {
    await sleep(someMs());
    await route.fallback().catch(() => {});
  });
  await context.routeWebSocket(/./, holdUp);
}

/** Most are quick: what hurts is the one that is not. */
function someMs(): number {
  const share = Math.random();
  return MOST_MS * share ** 3;
}

/** Messages stay in their order. */
function holdUp(page: WebSocketRoute): void {
  const server = page.connectToServer();
  let before: Promise<unknown> = Promise.resolve();
  server.onMessage((message) => {
    const delay = sleep(someMs() / 4);
    before = before.then(() => delay).then(() => page.send(message));
  });
}
