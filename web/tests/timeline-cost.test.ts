/** What one word costs does not depend on how long the session is. */
import { expect, test } from "vitest";
import type { TextDelta } from "../src/contract";
import { applyDelta, applyHistory, emptyTimeline } from "../src/timeline/timeline";
import { history, message } from "./samples";

const WORDS = 2_000;

/** Milliseconds for a text of many words, at the end of a session of so many items. */
function cost(items: number): number {
  const entries = Array.from({ length: items }, (_, at) => message(`m${at}`, at + 1, at + 1, ""));
  let { timeline } = applyHistory(emptyTimeline, history({ seq: items, entries }));
  const itemId = `m${items - 1}`;
  const from = performance.now();
  for (let at = 0; at < WORDS; at += 1) {
    const delta: TextDelta = {
      sessionId: "s",
      itemId,
      seq: items + 1 + at,
      offset: at * 5,
      append: "word ",
      status: "update",
    };
    timeline = applyDelta(timeline, delta).timeline;
  }
  const spent = performance.now() - from;
  expect(timeline.items.get(itemId)).toMatchObject({ content: "word ".repeat(WORDS) });
  return spent;
}

test("a word costs the same in a session of 200 items and in one of 20,000", () => {
  cost(200);
  const short = Math.min(cost(200), cost(200), cost(200));
  const long = Math.min(cost(20_000), cost(20_000), cost(20_000));
  if (process.env.SHOW_COST) console.log(`per word: ${(short / WORDS) * 1e3} µs, ${(long / WORDS) * 1e3} µs`);
  expect(long).toBeLessThan(short * 4 + 20);
});
