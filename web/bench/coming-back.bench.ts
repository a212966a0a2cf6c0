/** Coming back after a lost connection, and beginning something new: how long until one can go on. */
import type { Page, WebSocketRoute } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import { longSession } from "../e2e/long-session";
import { expectLive, logIn, openSession } from "../e2e/transcript-page";
import { judge, median, p95, table, tell } from "./tell";

const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 3 : 12;
const ITEMS = 2_000;
/** More than this and one wonders whether it works. */
const BOUND_MS = 2_000;

test("coming back and beginning anew", async ({ page, server }) => {
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  const sessionId = await longSession(server, ITEMS, "Long");
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  await expectLive(page);

  const [back, fresh]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const itemId = `missed${round}`;
    const cut = now();
    for (const socket of sockets.splice(0)) await socket.close();
    const finalItem = { type: "message", content: "said meanwhile", origin: "agent" } as const;
    await server.postEvents(
      sessionId,
      `back${round}`,
      { type: "response_start", modelId: "m", providerId: "p" },
      { type: "item_start", itemId, itemType: "message" },
      { type: "item_done", itemId, finalItem },
      { type: "response_done", status: "completed" },
    );
    const backAt = await liveWith(page, itemId);
    // The first round pays for what runs for the first time.
    if (round > 0) back.push(backAt - cut);
  }
  for (let round = 0; round <= ROUNDS; round += 1) {
    const took = await begin(page, server.origin);
    if (round > 0) fresh.push(took);
  }

  const row = (what: string, times: number[]) => [what, median(times), p95(times)];
  tell(
    `### Coming back, and beginning anew\n\n${table(["", "median, ms", "P95, ms"], [row("a lost connection", back), row("a new session", fresh)])}\n\n${ROUNDS} times each. *A lost connection*: from its end until the page is live again in a session of ${ITEMS} items and shows what was said meanwhile; it waits about half a second before it tries. *A new session*: from the press on Start, with the demo agent, until one can write into it.\n`,
  );
  for (const [text, times] of [
    ["a lost connection is back, with what was missed", back],
    ["a new session can be written into", fresh],
  ] as const)
    judge({
      name: "web_coming_back",
      text: `${text}, P95`,
      atMost: BOUND_MS,
      value: p95(times),
      unit: " ms",
    });
});

/** When the page is live and has an item in sight, looked at with every frame: asking from outside is far less often. */
async function liveWith(page: Page, itemId: string): Promise<number> {
  const seen = await page.waitForFunction((itemId) => {
    if (document.querySelector(".connection")?.textContent !== "Live") return undefined;
    const item = document.querySelector(`[data-item-id="${itemId}"]`)?.getBoundingClientRect();
    const isSeen = item && item.height > 0 && item.bottom > 0 && item.top < innerHeight;
    return isSeen ? performance.timeOrigin + performance.now() : undefined;
  }, itemId);
  return (await seen.jsonValue()) ?? Number.NaN;
}

/** Of the clock that the page has too. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Milliseconds from the press on Start until the message box has the focus. */
async function begin(page: Page, origin: string): Promise<number> {
  await page.goto(`${origin}/#/new`);
  const start = page.getByRole("button", { name: "Start", exact: true });
  await expect(start).toBeEnabled();
  const pressed = performance.now();
  await start.click();
  await expect(page.getByLabel("Message", { exact: true })).toBeFocused();
  return performance.now() - pressed;
}
