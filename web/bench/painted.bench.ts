/** From an event in the server to the screen, beside the same page told the same by a socket that does nothing else. */
import type { Page } from "@playwright/test";
import { answersFor, BareServer } from "../e2e/bare-server";
import { expect, test } from "../e2e/fixtures";
import type { Server } from "../e2e/server";
import { expectLive, logIn, openSession } from "../e2e/transcript-page";
import type { ServerFrame, SessionId } from "../src/contract";
import { marked, numberOf, paintedAt, watchPaint } from "./painted";
import { judge, median, p95, table, tell } from "./tell";

/** The two ways take turns, so that what else the machine does falls upon both. */
const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 2 : 10;
const EVENTS_A_ROUND = process.env.LIMINAL_BENCH_QUICK ? 20 : 40;
const EVENTS = (ROUNDS + 1) * EVENTS_A_ROUND;
/** No multiple of a frame, so that events fall anywhere within one. */
const PACE_MS = 47;
const TEXT = "one two three four five six seven eight nine ten eleven twelve";

/** A frame, and how long after the one before it came. */
type Heard = { frame: ServerFrame; afterMs: number };

test("from an event to the screen", async ({ page, context, server }) => {
  await logIn(page, server.loginUrl);
  const heard = listen(page);
  await page.reload();
  await expectLive(page);
  const sessionId = await server.createSession("Told");
  await openSession(page, sessionId);
  await watchPaint(page);
  const bare = await BareServer.start(server.origin, answersFor(sessionId));
  const other = await context.newPage();
  await other.goto(`${bare.origin}/#/s/${sessionId}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(sessionId);
  await expectLive(other);
  await watchPaint(other);

  const [through, direct]: [number[][], number[][]] = [[], []];
  heard.length = 0;
  await server.postEvents(sessionId, "t1", { type: "response_start", modelId: "m", providerId: "p" });
  for (let first = 0; first < EVENTS; first += EVENTS_A_ROUND) {
    await page.bringToFront();
    await tellThrough(server, sessionId, first);
    through.push(await lags(page, emitted(heard.map(({ frame }) => frame))));
    await other.bringToFront();
    direct.push(await lags(other, emitted(await replay(bare, heard.splice(0)))));
  }
  // The first round pays for code that runs for the first time.
  for (const rounds of [through, direct]) rounds.shift();
  bare.stop();

  const row = (way: string, rounds: number[][]) => [way, median(rounds.map(median)), median(rounds.map(p95))];
  /** Round by round, since what else the machine does falls upon both ways of one round and not upon those of all alike. */
  const ratios = (figure: (lags: number[]) => number) =>
    through.map((lags, round) => figure(lags) / figure(direct[round] ?? []));
  tell(
    `### From an event to the screen\n\n${table(["way", "median, ms", "P95, ms"], [row("through the server", through), row("the page told directly", direct)])}\n\n${ROUNDS * EVENTS_A_ROUND} messages, one each ${PACE_MS} ms, from the moment that the item exists in the server until the frame after the one that shows it. *Through the server*: journalled, flushed to the disk, encoded, delivered. *Directly*: a socket that does nothing else says the same frames at the same intervals. The ways take turns, ${EVENTS_A_ROUND} messages at a time; each figure is the median of ${ROUNDS} rounds, and so is what is judged, the ratio within a round. Of the P95 these are ${ratios(
      p95,
    )
      .map((ratio) => ratio.toFixed(2))
      .join(", ")}.\n`,
  );
  judge({
    name: "nfr_stream_latency",
    text: "event to screen through the server to the page told directly, median",
    atMost: 1.1,
    value: median(ratios(median)),
  });
  judge({
    name: "nfr_stream_latency",
    text: "the same, P95",
    atMost: 1.1,
    value: median(ratios(p95)),
  });
});

/** All that the page is told from its next connection on. */
function listen(page: Page): Heard[] {
  const heard: Heard[] = [];
  let before = performance.now();
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const now = performance.now();
      heard.push({ frame: JSON.parse(String(payload)), afterMs: now - before });
      before = now;
    }),
  );
  return heard;
}

async function tellThrough(server: Server, sessionId: SessionId, first: number): Promise<void> {
  for (let at = first; at < first + EVENTS_A_ROUND; at += 1) {
    const [itemId, content] = [`i${at}`, marked(at, TEXT)];
    await server.postEvents(
      sessionId,
      "t1",
      { type: "item_start", itemId, itemType: "message" },
      { type: "item_done", itemId, finalItem: { type: "message", content, origin: "agent" } },
    );
    await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }
}

/** Gives the frames as they were said, each item as one of this moment. */
async function replay(bare: BareServer, heard: Heard[]): Promise<ServerFrame[]> {
  const said: ServerFrame[] = [];
  for (const { frame, afterMs } of heard) {
    if (afterMs >= 1) await new Promise((resolve) => setTimeout(resolve, afterMs));
    if (frame.type === "session:upsert") frame.payload.emittedAt = new Date().toISOString();
    bare.say(frame);
    said.push(frame);
  }
  return said;
}

/** When each marked item came into being. */
function emitted(frames: ServerFrame[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const frame of frames)
    if (frame.type === "session:upsert" && frame.payload.type === "message")
      times.set(numberOf(frame.payload.content), Date.parse(frame.payload.emittedAt));
  return times;
}

/** Of these, in their order, once all of them are on the screen. */
async function lags(page: Page, emitted: Map<number, number>): Promise<number[]> {
  expect(emitted.size).toBe(EVENTS_A_ROUND);
  const missing = async () => {
    const painted = await paintedAt(page);
    return [...emitted.keys()].filter((number) => !painted.has(number));
  };
  await expect.poll(missing).toEqual([]);
  const painted = await paintedAt(page);
  return [...emitted].map(([number, at]) => (painted.get(number) ?? Number.NaN) - at);
}
