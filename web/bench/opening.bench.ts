/** Opening a session: one of a hundred thousand items takes as long as one of some hundred. */
import type { Page } from "@playwright/test";
import { test } from "../e2e/fixtures";
import { itemName, longSession } from "../e2e/long-session";
import { expectLive, logIn } from "../e2e/transcript-page";
import type { SessionId } from "../src/contract";
import { LongTasks, watchLongTasks } from "./metrics";
import { judge, median, p95, table, tell } from "./tell";

const [FEW, MANY] = [400, process.env.LIMINAL_BENCH_QUICK ? 20_000 : 100_000];
const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 3 : 12;

test("opening a session", async ({ page, server }) => {
  const few = await longSession(server, FEW, "Few");
  const many = await longSession(server, MANY, "Many");
  await logIn(page, server.loginUrl);
  const [fewTimes, manyTimes]: [number[], number[]] = [[], []];
  const tasks = new LongTasks(page);
  const where = { page, origin: server.origin, tasks };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [short, long] = [await opened(where, few, FEW), await opened(where, many, MANY)];
    // The first round pays for what runs for the first time.
    if (round > 0) fewTimes.push(short);
    if (round > 0) manyTimes.push(long);
  }
  const row = (count: number, times: number[]) => [String(count), median(times), p95(times)];
  tell(
    `### Opening a session\n\n${table(["items", "median, ms", "P95, ms"], [row(FEW, fewTimes), row(MANY, manyTimes)])}\n\n${ROUNDS} times each, from the click until its last item is on the screen, in a page that has just been loaded. ${tasks.words}\n`,
  );
  judge({
    name: "web_opening",
    text: `opening ${MANY} items to opening ${FEW}, median`,
    atMost: 1.25,
    value: median(manyTimes) / median(fewTimes),
  });
  tasks.judge("while sessions open");
});

/** Milliseconds until the last item is seen. */
async function opened(
  { page, origin, tasks }: { page: Page; origin: string; tasks: LongTasks },
  sessionId: SessionId,
  items: number,
): Promise<number> {
  await page.goto("about:blank");
  await page.goto(`${origin}/#/inbox`);
  await expectLive(page);
  await watchLongTasks(page);
  await tasks.leaveOut();
  const took = await page.evaluate(
    ([hash, last]) =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        location.hash = hash;
        const look = () => {
          const row = document.querySelector(`[data-item-id="${last}"]`)?.getBoundingClientRect();
          const isSeen = row !== undefined && row.height > 0 && row.top < innerHeight;
          if (isSeen) requestAnimationFrame(() => resolve(performance.now() - began));
          else requestAnimationFrame(look);
        };
        look();
      }),
    [`#/s/${sessionId}`, itemName(items - 1)] as const,
  );
  await page.waitForTimeout(300);
  await tasks.endRound();
  return took;
}
