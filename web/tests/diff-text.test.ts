import { expect, test } from "vitest";
import type { FileDiff } from "../src/contract";
import { diffCounts, diffLines, diffPairs, totalCounts } from "../src/items/diff-text";
import { patchOf } from "../src/items/patch-text";
import { changesOf } from "../src/items/proposed-diff";
import type { ToolItem } from "../src/items/tool-text";

const diff: FileDiff = {
  path: "/p/a.txt",
  hunks: [
    { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [" one", "-two", "+2", "+2.5"] },
    { oldStart: 10, oldLines: 2, newStart: 11, newLines: 1, lines: ["--- dashes", " last"] },
  ],
};

test("lines are numbered as in the file that they belong to", () => {
  expect(diffLines(diff).map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
    ["same", 1, 1, "one"],
    ["removed", 2, undefined, "two"],
    ["added", undefined, 2, "2"],
    ["added", undefined, 3, "2.5"],
    ["gap", undefined, undefined, "7 lines not changed"],
    ["removed", 10, undefined, "-- dashes"],
    ["same", 11, 11, "last"],
  ]);
});

test("a file tells how much is added and removed", () => {
  expect(diffCounts(diff)).toEqual({ added: 2, removed: 2 });
  expect(diffCounts({ path: "/p/b", hunks: [] })).toEqual({ added: 0, removed: 0 });
});

test("what a diff says of itself is no line of the file", () => {
  const hunks = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 9, lines: ["+one", "\\ 8 more lines"] }];
  expect(diffLines({ path: "f", hunks })).toEqual([
    { kind: "added", after: 1, text: "one" },
    { kind: "gap", text: "8 more lines" },
  ]);
});

test("side by side, a change stands beside what it was", () => {
  const pairs = diffPairs(diffLines(diff)).map(({ before, after }) => [before?.text, after?.text]);
  expect(pairs).toEqual([
    ["one", "one"],
    ["two", "2"],
    [undefined, "2.5"],
    ["7 lines not changed", "7 lines not changed"],
    ["-- dashes", undefined],
    ["last", "last"],
  ]);
});

test("where as many lines came as went, the words that changed are known", () => {
  const lines = ["-let limit = 3;", "+let limit = 4;"];
  const [before, after] = diffLines({
    path: "f",
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }],
  });
  expect(before?.words?.filter(({ isChanged }) => isChanged)).toEqual([{ text: "3", isChanged: true }]);
  expect(after?.words?.filter(({ isChanged }) => isChanged)).toEqual([{ text: "4", isChanged: true }]);
});

test("several files count together", () => {
  expect(totalCounts([diff, diff])).toEqual({ added: 4, removed: 4 });
});

test("a patch is one that other programs take", () => {
  expect(patchOf([diff])).toBe(
    [
      "--- a/p/a.txt",
      "+++ b/p/a.txt",
      "@@ -1,2 +1,3 @@",
      " one",
      "-two",
      "+2",
      "+2.5",
      "@@ -10,2 +11,1 @@",
      "--- dashes",
      " last",
      "",
    ].join("\n"),
  );
  const added = {
    oldStart: 0,
    oldLines: 0,
    newStart: 1,
    newLines: 1,
    lines: ["+x", "\\ No newline at end of file"],
  };
  expect(patchOf([{ path: "new.txt", hunks: [added] }])).toBe(
    "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n",
  );
});

test("a change of which lines were left out is no patch", () => {
  const hunks = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 9, lines: ["+one", "\\ 8 more lines"] }];
  expect(patchOf([{ path: "f", hunks }])).toBeUndefined();
});

test("an edit that has not happened yet is shown as its arguments propose it, without numbers", () => {
  const edit = (toolArguments: object) => changesOf({ toolArguments } as ToolItem);
  const proposed = edit({ file_path: "a.rs", old_string: "one\ntwo\nthree", new_string: "one\n2\nthree" });
  expect(proposed?.flatMap(diffLines)).toMatchObject([
    { kind: "same", text: "one" },
    { kind: "removed", text: "two" },
    { kind: "added", text: "2" },
    { kind: "same", text: "three" },
  ]);
  expect(
    proposed?.flatMap(diffLines).every(({ before, after }) => before === undefined && after === undefined),
  ).toBe(true);
  expect(patchOf(proposed ?? [])).toBeUndefined();
  const both = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  expect(totalCounts(edit({ file_path: "a.rs", edits: both }) ?? [])).toEqual({ added: 1, removed: 2 });
  expect(edit({ file_path: "a.rs", content: "x" })).toBeUndefined();
  expect(edit({ command: "ls" })).toBeUndefined();
});
