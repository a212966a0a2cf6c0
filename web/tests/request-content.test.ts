import { expect, test } from "vitest";
import { lineDiff } from "../src/items/line-diff";
import { proposalOf } from "../src/items/proposed-diff";
import { contentOf, requestKey, requestLine } from "../src/permissions/request-content";
import { permission } from "./samples";

const asking = (toolArguments: Record<string, unknown>) => permission("p", { toolArguments });

test("a command is shown as it is, and what else is told stays", () => {
  const content = contentOf(asking({ command: "make\n  all", timeout: 5, env: { A: "1" } }));
  expect(content.command).toBe("make\n  all");
  expect(content.facts).toEqual([["timeout", "5"]]);
  expect(JSON.parse(content.rest)).toEqual({ env: { A: "1" } });
  expect(JSON.parse(content.raw)).toEqual({ command: "make\n  all", timeout: 5, env: { A: "1" } });
});

test("arguments of no known form are shown as JSON, whole", () => {
  const given = { question: "why", deep: { er: [1, 2] }, long: "x".repeat(100_000) };
  const content = contentOf(asking(given));
  expect(content.command).toBeUndefined();
  expect(JSON.parse(content.rest)).toEqual(given);
  expect(content.raw).toBe("");
});

test("what cannot be seen is visible in names and values", () => {
  const content = contentOf(asking({ command: "ls", "na\u202eme": "va\u200blue" }));
  expect(content.facts).toEqual([["na\\u202eme", "va\\u200blue"]]);
});

test("a command of several words keeps their bounds", () => {
  expect(contentOf(asking({ command: ["sh", "-c", "echo a b"] })).command).toBe('["sh","-c","echo a b"]');
  expect(contentOf(asking({ command: ["sh", 1] })).command).toBeUndefined();
});

test("an edit is shown as a change, and options of it beside", () => {
  const given = { file_path: "/a.ts", old_string: "one\ntwo", new_string: "one\n2", replace_all: true };
  const content = contentOf(asking(given));
  expect(content.files).toEqual([
    {
      path: "/a.ts",
      hunks: [{ oldStart: 0, oldLines: 2, newStart: 0, newLines: 2, lines: [" one", "-two", "+2"] }],
    },
  ]);
  expect(content.facts).toEqual([["replace_all", "true"]]);
  expect(JSON.parse(content.raw)).toEqual(given);
});

const linesOf = (given: Record<string, unknown>) => proposalOf(given)?.file.hunks.map(({ lines }) => lines);

test("a file that is written is all new, and several edits are one change each", () => {
  expect(linesOf({ file_path: "f", content: "a\nb\n" })).toEqual([["+a", "+b"]]);
  const edits = [
    { old_string: "a", new_string: "b" },
    { old_string: "c", new_string: "" },
  ];
  expect(linesOf({ path: "f", edits })).toEqual([["-a", "+b"], ["-c"]]);
  expect(contentOf(asking({ path: "f", edits })).rest).toBe("");
});

test("where lines end is part of what is written", () => {
  expect(linesOf({ file_path: "f", content: "a\nb" })).toEqual([
    ["+a", "+b", "\\ No newline at end of file"],
  ]);
  expect(linesOf({ file_path: "f", old_string: "a\n", new_string: "a" })).toEqual([[" a", "-"]]);
  expect(linesOf({ file_path: "f", old_string: "a\n", new_string: "b\n" })).toEqual([["-a", "+b"]]);
});

test("an edit that is not understood is not previewed, so nothing of it is hidden", () => {
  const odd = { path: "f", edits: [{ old_string: "a", new_string: "b" }, { regex: ".*" }] };
  expect(proposalOf(odd)).toBeUndefined();
  expect(JSON.parse(contentOf(asking(odd)).rest)).toEqual(odd);
});

test("only what the change shows counts as shown", () => {
  const edits = [
    { old_string: "a", new_string: "b", replace_all: true },
    { old_string: "c", new_string: "d" },
  ];
  const both = contentOf(asking({ file_path: "/etc/a", path: "/tmp/b", edits, old_string: "x" }));
  expect(both.files[0]?.path).toBe("/etc/a");
  expect(both.facts).toEqual([
    ["path", "/tmp/b"],
    ["old_string", "x"],
  ]);
  expect(JSON.parse(both.rest)).toEqual({ edits: [{ replace_all: true }, {}] });
  const beside = contentOf(asking({ path: "f", old_string: "a", new_string: "b", content: "all\nother" }));
  expect(beside.files[0]?.hunks[0]?.lines).toEqual(["-a", "+b"]);
  expect(JSON.parse(beside.rest)).toEqual({ content: "all\nother" });
});

test("a difference applied to the old lines is the new ones, small or large", () => {
  const cases: [string[], string[]][] = [
    [[], []],
    [["a"], []],
    [
      ["a", "b", "c", "d"],
      ["b", "x", "d", "e"],
    ],
    [
      ["a", "b", "a", "b"],
      ["a", "b"],
    ],
    [Array.from({ length: 900 }, (_, n) => `${n}`), Array.from({ length: 900 }, (_, n) => `${n * 2}`)],
  ];
  for (const [old, fresh] of cases) {
    const lines = lineDiff(old, fresh);
    const side = (sign: string) =>
      lines.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
    expect(side("+")).toEqual(old);
    expect(side("-")).toEqual(fresh);
  }
});

test("an agent's own account of a change goes before ours, and the arguments stay", () => {
  const diff = [{ path: "f", hunks: [] }];
  const content = contentOf(permission("p", { diff, toolArguments: { file_path: "f", content: "x" } }));
  expect(content.files).toBe(diff);
  expect(content.rest).toContain('"content": "x"');
});

test("a line tells what it is about, once", () => {
  expect(requestLine(asking({ command: "ls\n  -l" }))).toBe("Run: ls ⏎ -l");
  expect(requestLine(permission("p", { title: "Run ls", toolArguments: { command: "ls" } }))).toBe("Run ls");
});

test("what is asked again about the same request is not worked out again", () => {
  let read = 0;
  const request = asking({
    get long() {
      read += 1;
      return "x";
    },
  });
  expect(requestKey(request)).toBe(requestKey(request));
  expect(read).toBe(1);
});

test("the same request is the same whatever the order of its arguments, and never another", () => {
  const key = requestKey(asking({ a: 1, b: { c: 2, d: 3 } }));
  expect(requestKey(asking({ b: { d: 3, c: 2 }, a: 1 }))).toBe(key);
  expect(requestKey(asking({ a: 1, b: { c: 2, d: 4 } }))).not.toBe(key);
  expect(
    requestKey(permission("p", { toolArguments: { a: 1, b: { c: 2, d: 3 } }, title: "Other" })),
  ).not.toBe(key);
});
