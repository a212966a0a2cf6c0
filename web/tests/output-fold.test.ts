import { expect, test } from "vitest";
import { firstLinesTo, LineCount, lastLinesFrom } from "../src/items/output-fold";

const LINES = Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n");

test("the last lines of an output begin where a line begins", () => {
  expect(LINES.slice(lastLinesFrom(LINES, 3)).split("\n")).toEqual(["line 497", "line 498", "line 499"]);
  expect(`${LINES}\n`.slice(lastLinesFrom(`${LINES}\n`, 2))).toBe("line 498\nline 499\n");
  expect(lastLinesFrom("short", 3)).toBe(0);
  expect(lastLinesFrom("", 3)).toBe(0);
});

test("the first lines of an output end where a line ends", () => {
  expect(LINES.slice(0, firstLinesTo(LINES, 2))).toBe("line 0\nline 1\n");
  expect(firstLinesTo("short", 2)).toBe(5);
});

test("few lines that are long are cut by their length", () => {
  const long = "x".repeat(1_000);
  expect(lastLinesFrom(long, 3, 100)).toBe(900);
  expect(firstLinesTo(long, 3, 100)).toBe(100);
  expect(lastLinesFrom(`${long}\nend`, 3, 100)).toBe(1_001);
});

test("lines are counted by what is new", () => {
  const count = new LineCount();
  expect(count.update("", true)).toBe(0);
  expect(count.update("a", true)).toBe(1);
  expect(count.update("a\n", true)).toBe(1);
  expect(count.update("a\nb\nc", true)).toBe(3);
  expect(count.update("x\n", false)).toBe(1);
});
