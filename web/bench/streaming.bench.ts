/** Far more than the server would ever tell: 250 pieces of a message a second, then 300 calls a second, below a session of 3,000 items. */
import type { Page } from "@playwright/test";
import { answersFor, BareServer } from "../e2e/bare-server";
import { expect, test } from "../e2e/fixtures";
import { expectLive, itemById, logIn } from "../e2e/transcript-page";
import type { SessionId, ToolCall, UpsertObject } from "../src/contract";
import { LongTasks } from "./long-tasks";
import { Metrics } from "./metrics";
import { mixedMarkdown } from "./mixed-markdown";
import { judge, tell } from "./tell";

const SESSION: SessionId = "told";
const ITEMS = 3_000;
/** Of the message that grows: so many bytes in so many pieces. */
const [LENGTH, PIECES, PIECES_A_SECOND] = [50_000, 5_000, 250];
const [CALLS, CALLS_A_SECOND] = process.env.LIMINAL_BENCH_QUICK ? [300, 300] : [3_000, 300];
/** What the page may hold on to, however long the session: about what its rows have. */
const MOST_NODES = 60_000;

test("more than the server would tell", async ({ page, server }) => {
  // Only for the files of the page.
  await logIn(page, server.loginUrl);
  const bare = await BareServer.start(server.origin, answersFor(SESSION));
  const teller = new Teller(bare);
  await page.goto(`${bare.origin}/#/s/${SESSION}`);
  await expect.poll(() => bare.isOpen).toBe(true);
  bare.open(SESSION);
  await expectLive(page);
  teller.history();
  await expect(itemById(page, `h${ITEMS - 1}`)).toBeInViewport();
  const [tasks, metrics] = [await LongTasks.of(page), await Metrics.of(page)];
  await tasks.beginRound();
  await teller.grow("m");
  await expect(itemById(page, "m")).toBeInViewport();
  await teller.calls("c");
  await expect(itemById(page, `c${CALLS - 1}`)).toBeInViewport();
  await tasks.endRound();
  const nodes = await metrics.nodes();
  await expectFew(page);
  bare.stop();
  tell(
    `### More than the server would tell\n\nBelow a session of ${ITEMS} items a message grows by ${PIECES_A_SECOND} pieces a second to ${LENGTH / 1000} KB, each told by itself, and ${CALLS} calls follow, ${CALLS_A_SECOND} a second, each told when it begins and when it ends. The page is told directly; the server would tell some four pieces a second of such a message. ${tasks.words} The page holds ${nodes} nodes then.\n`,
  );
  tasks.judge("while more is told than the server would");
  judge({ name: "web_nodes", text: "nodes of the page after it", atMost: MOST_NODES, value: nodes });
});

/** Rows that the page keeps, however many there were. */
async function expectFew(page: Page): Promise<void> {
  expect(await page.locator("[data-item-id]").count()).toBeLessThan(1_000);
}

class Teller {
  private seq = 0;

  constructor(private readonly bare: BareServer) {}

  history(): void {
    const entries = Array.from({ length: ITEMS }, (_, at) => this.past(at));
    const { seq } = this;
    this.bare.say({
      type: "session:history",
      sessionId: SESSION,
      mode: "reset",
      epoch: "e",
      seq,
      entries,
      turns: [],
      more: false,
    });
  }

  /** Tells a message piece by piece. */
  async grow(itemId: string): Promise<void> {
    const text = mixedMarkdown(LENGTH);
    const each = LENGTH / PIECES;
    const position = this.next();
    this.upsert({
      ...this.base(itemId, "create", position),
      type: "message",
      content: text.slice(0, each),
      origin: "agent",
    });
    await paced(PIECES - 1, PIECES_A_SECOND, (at) => {
      const offset = (at + 1) * each;
      const append = text.slice(offset, offset + each);
      const seq = this.next();
      this.bare.say({
        type: "session:delta",
        sessionId: SESSION,
        seq,
        itemId,
        status: "update",
        offset,
        append,
      });
    });
    this.next();
    this.upsert({
      ...this.base(itemId, "complete", position),
      type: "message",
      content: text,
      origin: "agent",
    });
  }

  async calls(name: string): Promise<void> {
    await paced(CALLS, CALLS_A_SECOND, (at) => {
      const position = this.next();
      const call = callOf(`${name}${at}`, at);
      this.upsert({ ...this.base(`${name}${at}`, "create", position), type: "tool_call", ...call });
      this.next();
      const toolOutput = `line ${at}\nanother`;
      this.upsert({
        ...this.base(`${name}${at}`, "complete", position),
        type: "tool_call",
        ...call,
        toolOutput,
      });
    });
  }

  /** A sixth of them Markdown, the others calls and short messages. */
  private past(at: number): UpsertObject {
    const base = this.base(`h${at}`, "complete", this.next());
    if (at % 3 === 1) return { ...base, type: "tool_call", ...callOf(`h${at}`, at), toolOutput: "done" };
    const content = at % 6 === 0 ? mixedMarkdown(600) : `Item ${at}`;
    return { ...base, type: "message", content, origin: "agent" };
  }

  private base(itemId: string, status: UpsertObject["status"], position: number) {
    const now = new Date().toISOString();
    const { seq } = this;
    return {
      turnId: "t",
      sessionId: SESSION,
      itemId,
      status,
      seq,
      position,
      sourceTimestamp: now,
      emittedAt: now,
    };
  }

  private next(): number {
    this.seq += 1;
    return this.seq;
  }

  private upsert(payload: UpsertObject): void {
    this.bare.say({ type: "session:upsert", sessionId: SESSION, seq: this.seq, payload });
  }
}

function callOf(callId: string, at: number): ToolCall {
  return { toolName: "Read", callId, toolArguments: { path: `file${at}.txt` }, kind: "read" };
}

/** Does something so often a second; what a busy machine holds up is made up for. */
async function paced(times: number, aSecond: number, work: (at: number) => void): Promise<void> {
  const began = performance.now();
  for (let at = 0; at < times; ) {
    const due = Math.min(times, Math.floor(((performance.now() - began) * aSecond) / 1000) + 1);
    for (; at < due; at += 1) work(at);
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}
