/** What it costs to show a message that grows: the same for the last words of a long one as for those of a short one. */
import type { Page } from "@playwright/test";
import { expect, test } from "../e2e/fixtures";
import type { Server } from "../e2e/server";
import { itemsOfType, logIn, openSession } from "../e2e/transcript-page";
import { longTasks, Metrics, watchLongTasks } from "./metrics";
import { mixedMarkdown } from "./mixed-markdown";
import { judge, median, table, tell } from "./tell";

const KB = 1000;
/** Lengths at which growth is measured. */
const [SHORT, LONG] = [50 * KB, 200 * KB];
/** One piece is one upsert: this much text, this long after the one before. */
const [PIECE, PACE_MS, PIECES] = [120, 70, 60];
const ROUNDS = Number(process.env.LIMINAL_BENCH_ROUNDS ?? (process.env.LIMINAL_BENCH_QUICK ? 1 : 5));

test("a message that grows", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Growing");
  await openSession(page, sessionId);
  const metrics = await Metrics.of(page);
  await watchLongTasks(page);
  const costs: Record<number, number[]> = { [SHORT]: [], [LONG]: [] };
  const text = mixedMarkdown(LONG + PIECE);
  for (let round = 0; round < ROUNDS; round += 1) {
    const growing = new Growing(server, sessionId, `t${round}`, text);
    await growing.begin();
    for (const length of [SHORT, LONG]) {
      await growing.fill(length - PIECE * PIECES);
      await expect.poll(() => shownLength(page)).toBeGreaterThan(length / 2);
      await page.waitForTimeout(500);
      costs[length]?.push(await cost(metrics, growing));
    }
    await growing.end();
  }
  const [short, long] = [median(costs[SHORT] ?? []), median(costs[LONG] ?? [])];
  const tasks = await longTasks(page);
  tell(
    `### A message that grows\n\n${table(
      ["length", "script per upsert, ms", "rounds"],
      [
        ["50 KB", short, String(ROUNDS)],
        ["200 KB", long, String(ROUNDS)],
      ],
    )}\n\nMixed Markdown through the server; ${PIECES} upserts of ${PIECE} characters each at the end of a message of that length. Tasks over 50 ms: ${
      tasks.length
    }, the longest ${Math.max(0, ...tasks).toFixed(0)} ms.\n`,
  );
  judge({
    name: "web_growth",
    text: "script per upsert at 200 KB to that at 50 KB",
    atMost: 1.5,
    value: long / short,
  });
  const tooLong = tasks.filter((duration) => duration > 100).length;
  judge({ name: "web_long_tasks", text: "tasks over 100 ms while messages grow", atMost: 0, value: tooLong });
});

async function shownLength(page: Page): Promise<number> {
  const message = itemsOfType(page, "message").last();
  return message.evaluate((element) => element.textContent?.length ?? 0);
}

/** Milliseconds of script per upsert. */
async function cost(metrics: Metrics, growing: Growing): Promise<number> {
  const [script, frames] = [await metrics.script(), metrics.frames];
  for (let piece = 0; piece < PIECES; piece += 1) await growing.grow(PIECE);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return (((await metrics.script()) - script) * 1000) / (metrics.frames - frames);
}

class Growing {
  private sent = 0;

  constructor(
    private readonly server: Server,
    private readonly sessionId: string,
    private readonly turnId: string,
    private readonly text: string,
  ) {}

  async begin(): Promise<void> {
    await this.server.postEvents(
      this.sessionId,
      this.turnId,
      { type: "response_start", modelId: "m", providerId: "p" },
      { type: "item_start", itemId: "i", itemType: "message" },
    );
  }

  async fill(length: number): Promise<void> {
    await this.delta(length - this.sent);
  }

  async grow(length: number): Promise<void> {
    await this.delta(length);
    await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }

  async end(): Promise<void> {
    const content = this.text.slice(0, this.sent);
    await this.server.postEvents(
      this.sessionId,
      this.turnId,
      { type: "item_done", itemId: "i", finalItem: { type: "message", content, origin: "agent" } },
      { type: "response_done", status: "completed" },
    );
  }

  private async delta(length: number): Promise<void> {
    const deltaContent = this.text.slice(this.sent, this.sent + length);
    this.sent += deltaContent.length;
    await this.server.postEvents(this.sessionId, this.turnId, {
      type: "item_delta",
      itemId: "i",
      deltaContent,
    });
  }
}
