/**
 * Tasks that keep the page from answering, as the browser traces them.
 *
 * How long a task lasts tells what else the machine does as well: on two cores the page shares them with the browser's other
 * threads, the server and whoever else is there. What the page costs is what its own thread worked. Both are judged: a bound that
 * only the first one misses was missed by the machine.
 */
import type { CDPSession, Page } from "@playwright/test";
import { judge } from "./tell";

/** Milliseconds from its begin to its end, and of these on the processor. */
type Task = { lasted: number; worked: number };
type TraceEvent = {
  name: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
};

/** More than this and a person notices that the page does not answer. */
const TOO_LONG_MS = 100;
/** What the browser itself calls long. */
const LONG_MS = 50;

export class LongTasks {
  private readonly rounds: Task[][] = [];
  private events: TraceEvent[] = [];

  private constructor(private readonly browser: CDPSession) {
    this.browser.on("Tracing.dataCollected", ({ value }) =>
      this.events.push(...(value as unknown as TraceEvent[])),
    );
  }

  static async of(page: Page): Promise<LongTasks> {
    const browser = page.context().browser();
    if (!browser) throw new Error("the page has no browser of its own");
    return new LongTasks(await browser.newBrowserCDPSession());
  }

  /** What comes before it is nobody's. */
  async beginRound(): Promise<void> {
    this.events = [];
    const includedCategories = ["disabled-by-default-devtools.timeline"];
    await this.browser.send("Tracing.start", {
      transferMode: "ReportEvents",
      traceConfig: { includedCategories, excludedCategories: ["*"] },
    });
  }

  async endRound(): Promise<void> {
    const told = new Promise((resolve) => this.browser.once("Tracing.tracingComplete", resolve));
    await this.browser.send("Tracing.end");
    await told;
    this.rounds.push(tasksOfPages(this.events));
  }

  judge(when: string): void {
    const tasks = this.rounds.flat();
    for (const [text, is] of [
      [`tasks over ${TOO_LONG_MS} ms`, isTooLong],
      [`tasks in which the page worked over ${TOO_LONG_MS} ms`, isTooMuch],
    ] as const) {
      // A page that did nothing was not looked at.
      const value = tasks.length > 0 ? tasks.filter(is).length : Number.NaN;
      judge({ name: "web_long_tasks", text: `${text} ${when}`, atMost: 0, value });
    }
  }

  get words(): string {
    const all = this.rounds.flat();
    // One by one: so many are too many for the arguments of one call.
    const longest = all.reduce((most, { lasted }) => Math.max(most, lasted), 0);
    const most = all.reduce((most, { worked }) => Math.max(most, worked), 0);
    const long = all.filter(({ lasted }) => lasted > LONG_MS).length;
    return `Tasks that lasted over ${LONG_MS} ms: ${long}, over ${TOO_LONG_MS} ms: ${this.count(isTooLong)}, the longest ${longest.toFixed(0)} ms; in which the page itself worked over ${TOO_LONG_MS} ms: ${this.count(isTooMuch)}, at most ${most.toFixed(0)} ms.`;
  }

  /** Also round by round: what the page does by itself it does in every one. */
  private count(is: (task: Task) => boolean): string {
    const counts = this.rounds.map((tasks) => tasks.filter(is).length);
    const all = counts.reduce((sum, count) => sum + count, 0);
    return all === 0 ? "none" : `${all} (round by round ${counts.join(", ")})`;
  }
}

function isTooLong({ lasted }: Task): boolean {
  return lasted > TOO_LONG_MS;
}

function isTooMuch({ worked }: Task): boolean {
  return worked > TOO_LONG_MS;
}

/** Of the threads that pages run on. */
function tasksOfPages(events: TraceEvent[]): Task[] {
  const isOfPage = ({ name, args }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain";
  const threads = new Set(events.filter(isOfPage).map(({ pid, tid }) => `${pid}.${tid}`));
  const tasks = events.filter(({ name, pid, tid }) => name === "RunTask" && threads.has(`${pid}.${tid}`));
  return tasks.flatMap(({ dur, tdur }) => {
    // Of the one that was under way when the trace ended it is not known.
    if (dur === undefined) return [];
    if (tdur === undefined) throw new Error("the browser does not tell how long its threads worked");
    return [{ lasted: dur / 1000, worked: tdur / 1000 }];
  });
}
