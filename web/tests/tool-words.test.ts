import { expect, test } from "vitest";
import type { ToolCall, UpsertObject } from "../src/contract";
import { exitCode, withoutExitCode } from "../src/items/exit-code";
import { groupWords } from "../src/items/group-words";
import { lastStep, nestedState } from "../src/items/nested-text";
import { kindOf } from "../src/items/tool-kind";
import { type ToolItem, type ToolState, toolState } from "../src/items/tool-text";
import { commandOf, toolWords } from "../src/items/tool-words";
import { Children } from "../src/timeline/children";
import { message } from "./samples";

function tool(
  toolName: string,
  toolArguments: object,
  part: Partial<ToolCall & UpsertObject> = {},
): ToolItem {
  const call = {
    type: "tool_call",
    toolName,
    toolArguments,
    callId: "c",
    status: "complete",
    toolOutput: "",
  };
  return { ...message("c", 1, 1), ...call, ...part } as ToolItem;
}

function line(item: ToolItem, state: ToolState = "done"): string {
  const { verb, object } = toolWords(item, state);
  return `${verb} ${object}`.trim();
}

const TWO = [
  { path: "/p/a.rs", hunks: [] },
  { path: "/p/b.rs", hunks: [] },
];

test.each([
  ["Read src/main.rs", tool("Read", { file_path: "src/main.rs" }, { kind: "read" })],
  [
    "Read …/dev/src/main.rs:10–29",
    tool("Read", { file_path: "/home/dev/src/main.rs", offset: 10, limit: 20 }, { kind: "read" }),
  ],
  ["Read src/a.rs:7", tool("x", {}, { kind: "read", locations: [{ path: "src/a.rs", line: 7 }] })],
  ["Ran cargo test", tool("Bash", { command: "cargo test" }, { kind: "execute" })],
  ["Ran cargo test", tool("cargo test", { command: ["bash", "-lc", "cargo test"] }, { kind: "execute" })],
  ["Ran one …", tool("shell", { command: "one\ntwo" })],
  ["sleep 20; echo slept", tool("sleep 20; echo slept", {}, { kind: "execute" })],
  ["Edited 2 files", tool("apply_patch", {}, { kind: "edit", diff: TWO })],
  ["Wrote a.txt", tool("Write", { file_path: "a.txt", content: "x" }, { kind: "edit" })],
  ["Searched for needle in src", tool("Grep", { pattern: "needle", path: "src" }, { kind: "search" })],
  ["Looked for **/*.rs", tool("Glob", { pattern: "**/*.rs" }, { kind: "search" })],
  ["Listed src", tool("LS", { path: "src" })],
  ["Fetched example.com/docs", tool("WebFetch", { url: "https://www.example.com/docs/" })],
  ["Searched the web for rust", tool("WebSearch", { query: "rust" })],
  ["Sub-agent Find callers", tool("Task", { description: "Find callers", prompt: "…" }, { kind: "think" })],
  ["Updated its plan", tool("TodoWrite", { todos: [] }, { kind: "think" })],
  ["github: get_issue dev", tool("mcp__github__get_issue", { owner: "dev" })],
  ["unheard_of", tool("unheard_of", {})],
])("a call says what it did: %s", (words, item) => {
  expect(line(item)).toBe(words);
});

test("a call that runs, or came to nothing, does not say that it did", () => {
  const read = tool("Read", { file_path: "a" }, { kind: "read" });
  expect(line(read, "running")).toBe("Reading a");
  expect(line(read, "failed")).toBe("Read a");
  const edit = tool("Edit", { file_path: "a" }, { kind: "edit" });
  expect(line(edit, "stopped")).toBe("Edit a");
});

test("before its arguments are known a call is called by its name", () => {
  expect(line(tool("read_file", {}), "running")).toBe("read_file");
});

test.each([
  ["read", "read_file"],
  ["execute", "run_terminal_cmd"],
  ["edit", "strReplaceEdit"],
  ["search", "codebase_search"],
  ["fetch", "web_search"],
  ["delete", "delete_file"],
  ["other", "deploy"],
  ["other", "Please read this whole sentence"],
] as const)("a tool whose kind nobody tells is of kind %s when it is called %s", (kind, name) => {
  expect(kindOf(tool(name, {}))).toBe(kind);
});

test("a command that a shell is told is the command", () => {
  expect(commandOf(tool("x", { command: ["/bin/bash", "-lc", "ls | wc"] }))).toBe("ls | wc");
  expect(commandOf(tool("x", { command: ["ls", "-l"] }))).toBe("ls -l");
  expect(commandOf(tool("x", { command: [1] }))).toBe("");
});

test("the exit code is found where agents write it, and nowhere else", () => {
  expect(exitCode("Exit code 101\nfailed")).toBe(101);
  expect(exitCode("Chunk ID: a\nWall time: 0.1\nProcess exited with code 3\nOutput:\nx")).toBe(3);
  expect(exitCode(`${"x\n".repeat(500)}Exit code: 2`)).toBe(2);
  expect(exitCode("it said Exit code 5 in a line")).toBeUndefined();
  expect(withoutExitCode("Exit code 1\nno such file")).toBe("no such file");
});

test("quiet calls together say what they did", () => {
  const read = (path: string) => tool("Read", { file_path: path }, { kind: "read" });
  expect(groupWords([read("/a/x.rs"), read("/a/y.rs"), read("/a/x.rs")])).toEqual({
    title: "Read 2 files",
    names: "x.rs, y.rs",
  });
  const search = tool("Grep", { pattern: "needle" }, { kind: "search" });
  expect(groupWords([search, search])).toEqual({ title: "Searched 2 times", names: "needle" });
});

test("a call that only starts a subagent runs as long as the subagent", () => {
  const done = tool("Grep", { pattern: "x" });
  const { toolOutput: _, ...rest } = done;
  const running = { ...rest } as ToolItem;
  expect(toolState(running)).toBe("running");
  const steps = (...items: ToolItem[]) => {
    return Children.of(...items.map((item, at) => ({ ...item, itemId: `i${at}`, position: at })));
  };
  expect(nestedState("done", steps(done, running))).toBe("running");
  expect(nestedState("done", steps(done))).toBe("done");
  expect(nestedState("failed", steps(running))).toBe("failed");
  expect(lastStep(steps(done, running))).toBe("Searching for x");
});
