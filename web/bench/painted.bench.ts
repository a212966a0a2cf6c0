/** From an event to the screen: through the server, and with the same page told by a socket that does nothing else. */
import type { Page } from "@playwright/test";
import { answersFor, BareServer } from "../e2e/bare-server";
import { expect, test } from "../e2e/fixtures";
import { expectLive, logIn, openSession } from "../e2e/transcript-page";
import { paintLags, stamped, watchPaint } from "./painted";
import { judge, median, p95, table, tell } from "./tell";

const EVENTS = process.env.LIMINAL_BENCH_QUICK ? 40 : 300;
/** No multiple of a frame, so that events fall anywhere within one. */
const PACE_MS = 47;
const TEXT = "one two three four five six seven eight nine ten eleven twelve";

test("from an event to the screen", async ({ page, context, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Told");
  await openSession(page, sessionId);
  const through = await measured(page, async (at) => {
    const itemId = `i${at}`;
    await server.postEvents(
      sessionId,
      "t1",
      ...(at === 0 ? [{ type: "response_start", modelId: "m", providerId: "p" } as const] : []),
      { type: "item_start", itemId, itemType: "message" },
      { type: "item_done", itemId, finalItem: { type: "message", content: stamped(TEXT), origin: "agent" } },
    );
  });
  const bare = await BareServer.start(server.origin, answersFor(sessionId));
  const other = await context.newPage();
  await other.goto(`${bare.origin}/#/s/${sessionId}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(sessionId);
  await expectLive(other);
  const direct = await measured(other, async (at) => {
    const emittedAt = new Date().toISOString();
    const base = { turnId: "t1", sessionId, itemId: `i${at}`, sourceTimestamp: emittedAt, emittedAt };
    const payload = {
      ...base,
      type: "message",
      status: "complete",
      origin: "agent",
      content: stamped(TEXT),
      seq: at + 1,
      position: at + 1,
    } as const;
    bare.say({ type: "session:upsert", sessionId, seq: at + 1, payload });
  });
  bare.stop();
  const row = (way: string, lags: number[]) => [way, median(lags), p95(lags)];
  tell(
    `### From an event to the screen\n\n${table(["way", "median, ms", "P95, ms"], [row("through the server", through), row("the page told directly", direct)])}\n\n${EVENTS} messages, one each ${PACE_MS} ms, until the frame after the one that shows them. Through the server: posted, journalled with a flush, delivered.\n`,
  );
  judge({
    name: "web_painted",
    text: "event to screen through the server to the page told directly, median",
    atMost: 1.1,
    value: median(through) / median(direct),
  });
  judge({ name: "web_painted", text: "the same, P95", atMost: 1.1, value: p95(through) / p95(direct) });
});

async function measured(page: Page, say: (at: number) => Promise<void>): Promise<number[]> {
  await page.bringToFront();
  await watchPaint(page);
  for (let at = 0; at < EVENTS; at += 1) {
    await say(at);
    await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }
  await expect.poll(async () => (await paintLags(page)).length).toBe(EVENTS);
  // The first ones pay for code that runs for the first time.
  return (await paintLags(page)).slice(10);
}
