/** What one word costs does not depend on how long the session is. */
import { expect, test } from "vitest";
import type { TextDelta } from "../src/contract";
import { applyDelta, applyHistory, emptyTimeline } from "../src/timeline/timeline";
import { costRatio } from "./cost";
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
  // A hundred times as many items; it would be as much if each word cost all of them.
  expect(
    costRatio(
      () => cost(200),
      () => cost(20_000),
      5,
    ),
  ).toBeLessThanOrEqual(5);
});
