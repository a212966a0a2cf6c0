/** What it costs to show a message that grows: the same for the last words of a long one as for those of a short one. */
import type { Page } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import type { Server } from "../e2e/server";
import { itemsOfType, logIn, openSession } from "../e2e/transcript-page";
import type { ServerFrame } from "../src/contract";
import { LongTasks } from "./long-tasks";
import { Metrics } from "./metrics";
import { mixedMarkdown } from "./mixed-markdown";
import { judge, median, table, tell } from "./tell";

const KB = 1000;
/** Lengths at which growth is measured. */
const [SHORT, LONG] = [50 * KB, 200 * KB];
/** One piece is one upsert: more words than wait to be told together, so long after the piece before. */
const [WORDS, PACE_MS, PIECES] = [140, 70, 20];
/** About as much as a piece has. */
const PIECE = 900;
const ROUNDS = Number(process.env.LIMINAL_BENCH_ROUNDS ?? (process.env.LIMINAL_BENCH_QUICK ? 1 : 5));
/** As a slow phone is to this machine. */
const SLOWER = 4;

test("a message that grows", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const told = listen(page);
  await page.reload();
  const sessionId = await server.createSession("Growing");
  await openSession(page, sessionId);
  const metrics = await Metrics.of(page);
  const tasks = await LongTasks.of(page);
  const costs: Record<number, number[]> = { [SHORT]: [], [LONG]: [] };
  const text = mixedMarkdown(LONG + PIECE * PIECES);
  const round = async (turnId: string) => {
    const growing = new Growing(server, sessionId, turnId, text);
    await growing.begin();
    for (const length of [SHORT, LONG]) {
      await growing.fill(length - PIECE * PIECES);
      await expect.poll(() => shownLength(page)).toBeGreaterThan(length / 2);
      await page.waitForTimeout(SETTLE_MS);
      const before = told.of(growing.itemId);
      const script = await scriptOf(metrics, growing);
      // A busy browser reports what it was told a little later.
      await expect.poll(() => told.of(growing.itemId) - before, "each piece is told by itself").toBe(PIECES);
      costs[length]?.push(script / PIECES);
    }
    await growing.end();
  };
  for (let at = 0; at < ROUNDS; at += 1) {
    await tasks.beginRound();
    await round(`t${at}`);
    await tasks.endRound();
  }
  const [short, long] = [median(costs[SHORT] ?? []), median(costs[LONG] ?? [])];
  await metrics.slowDown(SLOWER);
  const slow = await LongTasks.of(page);
  await slow.beginRound();
  await round("slow");
  await slow.endRound();
  await metrics.slowDown(1);
  tell(
    `### A message that grows\n\n${table(
      ["length", "script per upsert, ms", "rounds"],
      [
        ["50 KB", short, String(ROUNDS)],
        ["200 KB", long, String(ROUNDS)],
      ],
    )}\n\nMixed Markdown through the server; ${PIECES} upserts of ${WORDS} words each at the end of a message of that length. ${tasks.words} With a processor ${SLOWER} times slower, in one round: ${slow.words}\n`,
  );
  judge({
    name: "web_growth",
    text: "script per upsert at 200 KB to that at 50 KB",
    atMost: 1.5,
    value: long / short,
  });
  tasks.judge("while messages grow");
});

/** Longer than text waits for more of it. */
const SETTLE_MS = 1_500;

/** How often the page was told of an item, from its next connection on. */
function listen(page: Page): { of(itemId: string): number } {
  const counts = new Map<string, number>();
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const frame: ServerFrame = JSON.parse(String(payload));
      const itemId = frame.type === "session:upsert" ? frame.payload.itemId : grownItem(frame);
      if (itemId !== undefined) counts.set(itemId, (counts.get(itemId) ?? 0) + 1);
    }),
  );
  return { of: (itemId) => counts.get(itemId) ?? 0 };
}

function grownItem(frame: ServerFrame): string | undefined {
  return frame.type === "session:delta" ? frame.itemId : undefined;
}

async function shownLength(page: Page): Promise<number> {
  const message = itemsOfType(page, "message").last();
  return message.evaluate((element) => element.textContent?.length ?? 0);
}

/** Milliseconds of script while all pieces are told and shown, beyond what the page does by itself in that time. */
async function scriptOf(metrics: Metrics, growing: Growing): Promise<number> {
  const took = async (work: () => Promise<void>) => {
    const [script, began] = [await metrics.script(), performance.now()];
    await work();
    return { script: ((await metrics.script()) - script) * 1000, ms: performance.now() - began };
  };
  const settle = () => new Promise<void>((resolve) => setTimeout(resolve, SETTLE_MS));
  const idle = await took(settle);
  const busy = await took(async () => {
    for (let piece = 0; piece < PIECES; piece += 1) await growing.grow(WORDS);
    await settle();
  });
  return busy.script - (idle.script / idle.ms) * busy.ms;
}

class Growing {
  readonly itemId: string;
  private sent = 0;

  constructor(
    private readonly server: Server,
    private readonly sessionId: string,
    private readonly turnId: string,
    private readonly text: string,
  ) {
    this.itemId = `i-${turnId}`;
  }

  async begin(): Promise<void> {
    await this.server.postEvents(
      this.sessionId,
      this.turnId,
      { type: "response_start", modelId: "m", providerId: "p" },
      { type: "item_start", itemId: this.itemId, itemType: "message" },
    );
  }

  async fill(length: number): Promise<void> {
    await this.delta(length - this.sent);
  }

  /** By so many words. */
  async grow(words: number): Promise<void> {
    const next = this.text.slice(this.sent).match(new RegExp(`^(?:\\s*\\S+){${words}}\\s`))?.[0] ?? "";
    await this.delta(next.length);
    await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }

  async end(): Promise<void> {
    const content = this.text.slice(0, this.sent);
    await this.server.postEvents(
      this.sessionId,
      this.turnId,
      { type: "item_done", itemId: this.itemId, finalItem: { type: "message", content, origin: "agent" } },
      { type: "response_done", status: "completed" },
    );
  }

  private async delta(length: number): Promise<void> {
    const deltaContent = this.text.slice(this.sent, this.sent + length);
    this.sent += deltaContent.length;
    await this.server.postEvents(this.sessionId, this.turnId, {
      type: "item_delta",
      itemId: this.itemId,
      deltaContent,
    });
  }
}
