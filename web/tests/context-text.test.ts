import { expect, test } from "vitest";
import { costWords, fullness, hasCompleted, totalCost } from "../src/session/context-text";
import type { Turn } from "../src/timeline/timeline";
import { completed } from "./samples";

const usage = (contextTokens: number, contextWindow = 200_000) => ({
  inputTokens: 0,
  outputTokens: 0,
  contextTokens,
  contextWindow,
});

test.each([
  [124_000, "62 % of 200k", "calm"],
  [139_999, "70 % of 200k", "calm"],
  [140_000, "70 % of 200k", "high"],
  [180_000, "90 % of 200k", "full"],
  [260_000, "100 % of 200k", "full"],
] as const)("a window with %d tokens is %s: %s", (tokens, text, step) => {
  const full = fullness(usage(tokens));
  expect(`${full?.percent} ${full?.window}`).toBe(text);
  expect(full?.step).toBe(step);
});

test("how full a window is that nobody told of is not known", () => {
  expect(fullness(undefined)).toBeUndefined();
  expect(fullness({ inputTokens: 1, outputTokens: 1, contextTokens: 5 })).toBeUndefined();
  expect(fullness(usage(5, 0))).toBeUndefined();
});

test("only a turn that went to its end tells that nothing was told", () => {
  const ended = (status: string): Turn => ({ turnId: "t", ended: { ...completed("t", 1), status } as never });
  expect(hasCompleted([{ turnId: "t" }, ended("cancelled")])).toBe(false);
  expect(hasCompleted([ended("cancelled"), ended("completed")])).toBe(true);
});

test("costs add up as far as they are told", () => {
  const turn = (costUsd?: number): Turn => {
    const told = { inputTokens: 1, outputTokens: 1, ...(costUsd !== undefined && { costUsd }) };
    return { turnId: "t", ended: { ...completed("t", 1), usage: told } as Turn["ended"] & object };
  };
  expect(totalCost([turn(0.25), turn(), turn(0.5)])).toBe(0.75);
  expect(totalCost([turn(), { turnId: "t" }])).toBeUndefined();
});

test("the cost of some turns is not called that of the session", () => {
  expect(costWords(0.75, true)).toBe("$0.75");
  expect(costWords(0.75, false)).toBe("At least $0.75");
  expect(costWords(undefined, false)).toBe("");
});
