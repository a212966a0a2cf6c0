import { expect, test } from "vitest";
import type { ToolCall, UpsertObject } from "../src/contract";
import { ending } from "../src/items/item-ending";
import { lastLine, type ThinkingItem, thinkingLabel } from "../src/items/thinking-text";
import { firstLines, newestLines, type ToolItem, toolHint, toolState } from "../src/items/tool-text";
import type { Item } from "../src/timeline/timeline";
import { message, thinking } from "./samples";

function tool(part: Partial<ToolCall & UpsertObject>): ToolItem {
  const call = { type: "tool_call", toolName: "shell", toolArguments: {}, callId: "c" };
  return { ...message("c", 1, 1), ...call, ...part } as ToolItem;
}

test.each([
  ["running", { status: "create" }],
  ["running", { status: "complete" }],
  ["running", { status: "update", toolOutput: "so far" }],
  ["done", { status: "complete", toolOutput: "" }],
  ["failed", { status: "complete", toolOutput: "no", toolOutputIsError: true }],
  ["failed", { status: "error", errorCode: "PROCESS_CRASH" }],
  ["stopped", { status: "error", errorCode: "CANCELLED" }],
] as const)("a tool call is %s when it has %j", (state, part) => {
  expect(toolState(tool(part))).toBe(state);
});

test("a tool call is told apart by its most telling argument", () => {
  expect(toolHint({ timeout: 5, description: "Tests", command: "cargo test" })).toBe("cargo test");
  expect(toolHint({ anything: "else" })).toBe("else");
  expect(toolHint({ count: 1 })).toBe("");
});

test("an item that did not complete says how it ended", () => {
  expect(ending({ status: "complete" })).toEqual({ kind: "none" });
  expect(ending({ status: "error", errorCode: "CANCELLED" })).toMatchObject({
    kind: "stopped",
    text: "Stopped",
  });
  expect(ending({ status: "error", errorCode: "SUPERSEDED" })).toMatchObject({ kind: "superseded" });
  const failed = { status: "error", errorCode: "RESPONSE_ERROR", errorMessage: "too long" } as const;
  expect(ending(failed)).toEqual({ kind: "failed", code: "RESPONSE_ERROR", text: "too long" });
});

test("thinking says how long it took once it is complete", () => {
  const item = { ...thinking("m", 1, 1), emittedAt: "2026-01-01T00:00:04.200Z" } as ThinkingItem & Item;
  expect(thinkingLabel(item)).toBe("Thinking");
  expect(thinkingLabel({ ...item, status: "complete" })).toBe("Thought for 4.2 s");
});

test("the preview of thinking is its last line", () => {
  expect(lastLine("first\nsecond\n")).toBe("second");
  expect(lastLine("")).toBe("");
  expect(lastLine("x".repeat(500)).length).toBeLessThan(200);
});

test("of a running call's output the newest lines are shown", () => {
  expect(newestLines("")).toBe("");
  expect(newestLines("one\ntwo\n")).toBe("one\ntwo");
  const many = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  expect(newestLines(many).split("\n")).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map((at) => `line ${at}`));
  expect(newestLines("x".repeat(100_000)).length).toBeLessThan(500);
});

test("of what went wrong the first lines are shown", () => {
  expect(firstLines("no such file\n")).toEqual({ text: "no such file", isAll: true });
  const many = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  expect(firstLines(many).isAll).toBe(false);
  expect(firstLines(many).text.split("\n")).toHaveLength(8);
});
