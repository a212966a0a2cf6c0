import { expect, test } from "vitest";
import type { ShownRow } from "../src/timeline/row-groups";
import { StagedRows } from "../src/transcript/staged-rows";

const rows = (from: number, to: number): ShownRow[] =>
  Array.from({ length: to - from }, (_, at) => ({ kind: "item", id: `i${from + at}`, at: from + at }));

test("many rows are placed from the end on, over several frames", () => {
  const [stages, all] = [new StagedRows(), rows(0, 100)];
  expect(stages.next(all)).toEqual({ from: 69, to: 100 });
  expect(stages.next(all)).toEqual({ from: 39, to: 100 });
  expect(stages.next(all)).toEqual({ from: 9, to: 100 });
  expect(stages.next(all)).toEqual({ from: 0, to: 100 });
  // What is new at an end joins at once.
  expect(stages.next(rows(0, 103))).toEqual({ from: 0, to: 103 });
});

test("a page before or behind what is there grows from it", () => {
  const stages = new StagedRows();
  stages.next(rows(100, 130));
  expect(stages.next(rows(0, 230))).toEqual({ from: 70, to: 160 });
  expect(stages.next(rows(0, 230))).toEqual({ from: 40, to: 190 });
});

test("where the reader is led is placed at once", () => {
  const stages = new StagedRows();
  expect(stages.next(rows(0, 200), 100)).toEqual({ from: 70, to: 131 });
  expect(stages.next(rows(0, 200), 20)).toEqual({ from: 0, to: 161 });
  stages.clear();
  expect(stages.next(rows(0, 3), -1)).toEqual({ from: 0, to: 3 });
  expect(stages.next([])).toEqual({ from: 0, to: 0 });
});
