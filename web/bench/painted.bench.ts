/** From an event in the server to the screen, beside the same page told the same by a socket that does nothing else. */
import type { Page } from "@playwright/test";
import { answersFor, BareServer } from "../e2e/bare-server";
import { expect, test } from "../e2e/fixtures";
import { expectLive, logIn, openSession } from "../e2e/transcript-page";
import type { EventPayload, ServerFrame, SessionId } from "../src/contract";
import { marked, numberOf, paintedAt, watchPaint } from "./painted";
import { judge, median, p95, table, tell } from "./tell";

/** The two ways take turns, so that what else the machine does falls upon both. */
const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 2 : 10;
const EVENTS_A_ROUND = process.env.LIMINAL_BENCH_QUICK ? 20 : 40;
const EVENTS = (ROUNDS + 1) * EVENTS_A_ROUND;
/** The pauses between events differ by as much as a frame lasts, so that these fall anywhere within one in both ways alike. */
const [PAUSE_MS, FRAME_MS] = [40, 1000 / 60];
/** Multiples of it are spread evenly between whole numbers. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Longer than what is told of a turn takes to come. */
const SETTLE_MS = 500;
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
  const repeated = listen(other);
  await other.goto(`${bare.origin}/#/s/${sessionId}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(sessionId);
  await expectLive(other);
  await watchPaint(other);

  const [through, direct]: [number[][], number[][]] = [[], []];
  const response = { type: "response_start", modelId: "m", providerId: "p" } as const;
  heard.length = 0;
  await server.postEvents(sessionId, "t1", response);
  // Both are told of the turn that runs.
  await expect.poll(() => heard.some(({ frame }) => frame.type === "session:turn")).toBe(true);
  await page.waitForTimeout(SETTLE_MS);
  for (const { frame } of heard) bare.say(frame);
  for (let first = 0; first < EVENTS; first += EVENTS_A_ROUND) {
    heard.length = 0;
    repeated.length = 0;
    await page.bringToFront();
    await post(first, (...events) => server.postEvents(sessionId, "t1", ...events));
    through.push(await lags(page, heard));
    await other.bringToFront();
    const groups = byMessage(heard);
    bare.onPost = (body) => void sayAgain(bare, groups.get(numberOf(body)) ?? []);
    await post(first, (...events) => postBare(bare, sessionId, events));
    direct.push(await lags(other, repeated));
  }
  // The first round pays for code that runs for the first time.
  for (const rounds of [through, direct]) rounds.shift();
  bare.stop();

  const row = (way: string, rounds: number[][]) => [
    way,
    median(rounds.map(median)),
    median(rounds.map(p95)),
    median(rounds.flat()),
    p95(rounds.flat()),
  ];
  /** Round by round, since what else the machine does falls upon both ways of one round and not upon those of all alike. */
  const ratios = (figure: (lags: number[]) => number) =>
    through.map((lags, round) => figure(lags) / figure(direct[round] ?? []));
  tell(
    `### From an event to the screen\n\n${table(["way", "median, ms", "P95, ms", "median of all, ms", "P95 of all, ms"], [row("through the server", through), row("the page told directly", direct)])}\n\n${ROUNDS * EVENTS_A_ROUND} messages, one each ${PAUSE_MS} to ${(PAUSE_MS + FRAME_MS).toFixed(0)} ms, from the moment that the item exists in the server until the frame after the one that shows it. *Through the server*: journalled, flushed to the disk, encoded, delivered. *Directly*: the same requests are taken by a program that does nothing but say the same frames. The ways take turns, ${EVENTS_A_ROUND} messages at a time; the first two figures are medians of ${ROUNDS} rounds, and so is what is judged, the ratio within a round. Of the P95 these are ${ratios(
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

/** Tells of a round's messages, in both ways by the same requests at the same pace. */
async function post(first: number, send: (...events: EventPayload[]) => Promise<void>): Promise<void> {
  for (let at = first; at < first + EVENTS_A_ROUND; at += 1) {
    const [itemId, content] = [`i${at}`, marked(at, TEXT)];
    await send(
      { type: "item_start", itemId, itemType: "message" },
      { type: "item_done", itemId, finalItem: { type: "message", content, origin: "agent" } },
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS + ((at * GOLDEN) % 1) * FRAME_MS));
  }
}

async function postBare(bare: BareServer, sessionId: SessionId, events: EventPayload[]): Promise<void> {
  const body = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  const headers = { "Content-Type": "application/x-ndjson" };
  await (
    await fetch(`${bare.origin}/api/session/${sessionId}/events`, { method: "POST", headers, body })
  ).text();
}

/** The frames that tell of each message: those from its first one to the next message's. */
function byMessage(heard: Heard[]): Map<number, Heard[]> {
  const groups = new Map<number, Heard[]>();
  let group: Heard[] = [];
  for (const one of heard) {
    const number =
      one.frame.type === "session:upsert" ? Number(one.frame.payload.itemId.slice(1)) : Number.NaN;
    if (!Number.isNaN(number) && !groups.has(number)) {
      group = [];
      groups.set(number, group);
    }
    group.push(one);
  }
  return groups;
}

/** Says frames at the intervals that they came in, each item as one of this moment. */
async function sayAgain(bare: BareServer, group: Heard[]): Promise<void> {
  for (const [at, { frame, afterMs }] of group.entries()) {
    if (at > 0 && afterMs >= 1) await new Promise((resolve) => setTimeout(resolve, afterMs));
    if (frame.type === "session:upsert") frame.payload.emittedAt = new Date().toISOString();
    bare.say(frame);
  }
}

/** How long each message of a round took from when it came into being, once all of them are on the screen. */
async function lags(page: Page, heard: Heard[]): Promise<number[]> {
  const missing = async () => {
    const painted = await paintedAt(page);
    return [...emitted(heard).keys()].filter((number) => !painted.has(number));
  };
  await expect.poll(() => emitted(heard).size).toBe(EVENTS_A_ROUND);
  await expect.poll(missing).toEqual([]);
  const painted = await paintedAt(page);
  return [...emitted(heard)].map(([number, at]) => (painted.get(number) ?? Number.NaN) - at);
}

/** When each marked item came into being. */
function emitted(heard: Heard[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const { frame } of heard)
    if (frame.type === "session:upsert" && frame.payload.type === "message" && frame.payload.content)
      times.set(numberOf(frame.payload.content), Date.parse(frame.payload.emittedAt));
  return times;
}
