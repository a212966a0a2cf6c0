import { expect, test } from "vitest";
import type { ShownRow } from "../src/timeline/row-groups";
import { weightOf } from "../src/transcript/row-weight";
import { StagedRows } from "../src/transcript/staged-rows";
import { message } from "./samples";

const SCREEN = 720;

const rows = (from: number, to: number): ShownRow[] =>
  Array.from({ length: to - from }, (_, at) => ({ kind: "item", id: `i${from + at}`, at: from + at }));

test("many rows are placed from the end on, over several frames", () => {
  const [stages, all] = [new StagedRows(), rows(0, 100)];
  expect(stages.next(all, SCREEN)).toEqual({ from: 75, to: 100 });
  for (const from of [59, 43, 27, 11, 0]) expect(stages.next(all, SCREEN)).toEqual({ from, to: 100 });
  // What is new at an end joins at once.
  expect(stages.next(rows(0, 103), SCREEN)).toEqual({ from: 0, to: 103 });
});

test("a page before or behind what is there grows from it", () => {
  const stages = new StagedRows();
  stages.next(rows(100, 120), SCREEN);
  expect(stages.next(rows(0, 220), SCREEN)).toEqual({ from: 84, to: 136 });
  expect(stages.next(rows(0, 220), SCREEN)).toEqual({ from: 68, to: 152 });
});

test("where the reader is led is placed at once", () => {
  const stages = new StagedRows();
  expect(stages.next(rows(0, 200), SCREEN, { wanted: 100 })).toEqual({ from: 76, to: 125 });
  expect(stages.next(rows(0, 200), SCREEN, { wanted: 20 })).toEqual({ from: 4, to: 141 });
  stages.clear();
  expect(stages.next(rows(0, 3), SCREEN, { wanted: -1 })).toEqual({ from: 0, to: 3 });
  expect(stages.next([], SCREEN)).toEqual({ from: 0, to: 0 });
});

test("of rows that are high fewer come with a frame, and one in any case", () => {
  const item = (id: string, content: string) => ({ ...message(id, 1, 1, content), seq: 1, position: 1 });
  const items = new Map([
    ...rows(0, 100).map(({ id }) => [id, item(id, "x".repeat(150))] as const),
    ["i60", item("i60", "x".repeat(100_000))] as const,
  ]);
  const [stages, all] = [new StagedRows((row) => weightOf(row, items)), rows(0, 100)];
  expect(stages.next(all, SCREEN)).toEqual({ from: 91, to: 100 });
  for (const from of [85, 79, 73, 67, 61, 60, 54])
    expect(stages.next(all, SCREEN)).toEqual({ from, to: 100 });
});

test("whoever follows the end is led there when more is new than fits into a step", () => {
  const [stages, follows] = [new StagedRows(), { follows: true }];
  stages.next(rows(0, 20), SCREEN, follows);
  expect(stages.next(rows(0, 30), SCREEN, follows), "it fits").toEqual({ from: 0, to: 30 });
  expect(stages.next(rows(0, 300), SCREEN, follows)).toEqual({ from: 275, to: 300 });
  expect(stages.next(rows(0, 310), SCREEN, follows)).toEqual({ from: 259, to: 310 });
  expect(stages.next(rows(0, 900), SCREEN), "who reads stays").toEqual({ from: 243, to: 326 });
});

test("where nothing is left of what was placed, a screen of it comes at once", () => {
  const stages = new StagedRows();
  stages.next(rows(0, 20), SCREEN);
  expect(stages.next(rows(500, 700), SCREEN)).toEqual({ from: 175, to: 200 });
});
