/** What the browser says of itself. */
import type { CDPSession, Page } from "@playwright/test";
import { judge } from "./tell";

export class Metrics {
  private constructor(private readonly browser: CDPSession) {}

  static async of(page: Page): Promise<Metrics> {
    const browser = await page.context().newCDPSession(page);
    await browser
      .send("Performance.enable", { timeDomain: "threadTicks" })
      .catch(() => browser.send("Performance.enable"));
    return new Metrics(browser);
  }

  /** Makes the page's processor so many times slower. */
  async slowDown(times: number): Promise<void> {
    await this.browser.send("Emulation.setCPUThrottlingRate", { rate: times });
  }

  /** Seconds that scripts ran. */
  async script(): Promise<number> {
    return this.value("ScriptDuration");
  }

  /** Megabytes in use after everything unused was given back. */
  async heap(): Promise<number> {
    await this.giveBack();
    return (await this.value("JSHeapUsedSize")) / 1e6;
  }

  /** Nodes of the document and whatever else is held on to, after everything unused was given back. */
  async nodes(): Promise<number> {
    await this.giveBack();
    return this.value("Nodes");
  }

  private async giveBack(): Promise<void> {
    for (let round = 0; round < 3; round += 1) await this.browser.send("HeapProfiler.collectGarbage");
  }

  private async value(wanted: string): Promise<number> {
    const { metrics } = await this.browser.send("Performance.getMetrics");
    const found = metrics.find(({ name }) => name === wanted);
    if (!found) throw new Error(`the browser does not tell ${wanted}`);
    return found.value;
  }
}

/** Watches for tasks that keep the page from answering; call `longTasks` to read them. */
export async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { longTasks: seen });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(duration);
    }).observe({ type: "longtask" });
  });
}

async function longTasks(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
}

/** More than this and a person notices that the page does not answer. */
const TOO_LONG_MS = 100;
/** Tasks that were too long, round by round: what a page does by itself it does in every round, what the machine does to it in one. */
export class LongTasks {
  private seen = 0;
  private readonly rounds: number[][] = [];

  constructor(private readonly page: Page) {}

  /** What came before is nobody's. */
  async leaveOut(): Promise<void> {
    this.seen = (await longTasks(this.page)).length;
  }

  /** A round has ended; its tasks are those since the one before. */
  async endRound(): Promise<void> {
    const all = await longTasks(this.page);
    if (all.length < this.seen) throw new Error("the page was loaded anew within a round");
    this.rounds.push(all.slice(this.seen));
    this.seen = all.length;
  }

  judge(when: string): void {
    const value = this.rounds.length > 0 ? tooLong(this.rounds.flat()) : Number.NaN;
    judge({ name: "web_long_tasks", text: `tasks over ${TOO_LONG_MS} ms ${when}`, atMost: 0, value });
  }

  get words(): string {
    const all = this.rounds.flat();
    const counts = this.rounds.map(tooLong).join(", ");
    return `Tasks over 50 ms: ${all.length}, over ${TOO_LONG_MS} ms: ${tooLong(all)} (round by round ${counts}), the longest ${Math.max(0, ...all).toFixed(0)} ms.`;
  }
}

function tooLong(tasks: number[]): number {
  return tasks.filter((duration) => duration > TOO_LONG_MS).length;
}
