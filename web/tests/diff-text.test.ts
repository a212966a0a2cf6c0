import { expect, test } from "vitest";
import type { FileDiff } from "../src/contract";
import { diffCounts, diffLines } from "../src/items/diff-text";

const diff: FileDiff = {
  path: "/p/a.txt",
  hunks: [
    { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", "+2.5"] },
    { oldStart: 10, oldLines: 2, newStart: 11, newLines: 1, lines: ["--- dashes", " last"] },
  ],
};

test("lines are numbered as in the file that they belong to", () => {
  expect(diffLines(diff).map(({ kind, number, text }) => [kind, number, text])).toEqual([
    ["same", "1", "one"],
    ["removed", "2", "two"],
    ["added", "2", "2"],
    ["added", "3", "2.5"],
    ["gap", "", "⋯"],
    ["removed", "10", "-- dashes"],
    ["same", "11", "last"],
  ]);
});

test("a file tells how much is added and removed", () => {
  expect(diffCounts(diff)).toEqual({ added: 2, removed: 2 });
  expect(diffCounts({ path: "/p/b", hunks: [] })).toEqual({ added: 0, removed: 0 });
});

test("what a diff says of itself is no line of the file", () => {
  const hunks = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 9, lines: ["+one", "\\ 8 more lines"] }];
  expect(diffLines({ path: "f", hunks })).toEqual([
    { kind: "added", number: "1", text: "one" },
    { kind: "gap", number: "", text: "⋯ 8 more lines" },
  ]);
});
