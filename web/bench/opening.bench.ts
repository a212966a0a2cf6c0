/** Opening a session: one of a hundred thousand items takes as long as one of some hundred. */
import type { Page } from "@playwright/test";
import { test } from "../e2e/fixtures";
import { itemName, longSession } from "../e2e/long-session";
import { expectLive, logIn } from "../e2e/transcript-page";
import type { SessionId } from "../src/contract";
import { LongTasks } from "./long-tasks";
import { judge, median, p95, table, tell } from "./tell";

const [FEW, SOME, MANY] = [400, 2_000, process.env.LIMINAL_BENCH_QUICK ? 20_000 : 100_000];
/** What is more is felt as waiting. */
const BOUND_MS = 500;
const ROUNDS = process.env.LIMINAL_BENCH_QUICK ? 3 : 12;

test("opening a session", async ({ page, server }) => {
  const few = await longSession(server, FEW, "Few");
  const some = await longSession(server, SOME, "Some");
  const many = await longSession(server, MANY, "Many");
  await logIn(page, server.loginUrl);
  const times: Record<number, number[]> = { [FEW]: [], [SOME]: [], [MANY]: [] };
  const tasks = await LongTasks.of(page);
  const where = { page, origin: server.origin, tasks };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [sessionId, items] of [
      [few, FEW],
      [some, SOME],
      [many, MANY],
    ] as const) {
      const took = await opened(where, sessionId, items);
      // The first round pays for what runs for the first time.
      if (round > 0) times[items]?.push(took);
    }
  }
  const of = (items: number) => times[items] ?? [];
  const row = (items: number) => [String(items), median(of(items)), p95(of(items))];
  tell(
    `### Opening a session\n\n${table(["items", "median, ms", "P95, ms"], [FEW, SOME, MANY].map(row))}\n\n${ROUNDS} times each, from the click until its last item is on the screen, in a page that has just been loaded. ${tasks.words}\n`,
  );
  judge({
    name: "web_opening",
    text: `opening ${MANY} items to opening ${FEW}, median`,
    atMost: 1.25,
    value: median(of(MANY)) / median(of(FEW)),
  });
  judge({
    name: "web_opening",
    text: `opening ${SOME} items, P95`,
    atMost: BOUND_MS,
    value: p95(of(SOME)),
    unit: " ms",
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
  await tasks.beginRound();
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
