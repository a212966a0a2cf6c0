import { expect, test } from "vitest";
import type { ShownRow } from "../src/timeline/row-groups";
import { StagedRows } from "../src/transcript/staged-rows";

const rows = (from: number, to: number): ShownRow[] =>
  Array.from({ length: to - from }, (_, at) => ({ kind: "item", id: `i${from + at}`, at: from + at }));

test("many rows are placed from the end on, over several frames", () => {
  const [stages, all] = [new StagedRows(), rows(0, 100)];
  expect(stages.next(all)).toEqual({ from: 75, to: 100 });
  for (const from of [59, 43, 27, 11, 0]) expect(stages.next(all)).toEqual({ from, to: 100 });
  // What is new at an end joins at once.
  expect(stages.next(rows(0, 103))).toEqual({ from: 0, to: 103 });
});

test("a page before or behind what is there grows from it", () => {
  const stages = new StagedRows();
  stages.next(rows(100, 120));
  expect(stages.next(rows(0, 220))).toEqual({ from: 84, to: 136 });
  expect(stages.next(rows(0, 220))).toEqual({ from: 68, to: 152 });
});

test("where the reader is led is placed at once", () => {
  const stages = new StagedRows();
  expect(stages.next(rows(0, 200), 100)).toEqual({ from: 76, to: 125 });
  expect(stages.next(rows(0, 200), 20)).toEqual({ from: 4, to: 141 });
  stages.clear();
  expect(stages.next(rows(0, 3), -1)).toEqual({ from: 0, to: 3 });
  expect(stages.next([])).toEqual({ from: 0, to: 0 });
});
