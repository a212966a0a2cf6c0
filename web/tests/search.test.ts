import { describe, expect, test } from "vitest";
import { bySession, countText, hitsInOrder } from "../src/search/hits";
import { hasAll, searchedText, spansOf, wordsOf } from "../src/search/words";
import { message } from "./samples";

describe("words", () => {
  test("are letters and numbers, each once, in any case", () => {
    expect(wordsOf("  Größe, größe! v2 (x)")).toEqual(["größe", "v2", "x"]);
    expect(wordsOf(" -- ")).toEqual([]);
  });

  test("are found where a word begins with them", () => {
    expect(spansOf("Reader reads already", ["read"])).toEqual([
      { from: 0, to: 4 },
      { from: 7, to: 11 },
    ]);
    expect(spansOf("readers", ["read", "readers"])).toEqual([{ from: 0, to: 7 }]);
    expect(spansOf("anything", [])).toEqual([]);
  });

  test("are not looked for beyond what is wanted", () => {
    expect(spansOf("a ".repeat(1_000_000), ["a"], 2)).toEqual([
      { from: 0, to: 1 },
      { from: 2, to: 3 },
    ]);
  });

  test("have to be there all", () => {
    expect(hasAll("one two", ["two", "on"])).toBe(true);
    expect(hasAll("one two", ["two", "three"])).toBe(false);
    expect(hasAll("one", [])).toBe(false);
  });

  test("of a call are its name, arguments and output", () => {
    const call = {
      ...message("c", 1, 1),
      type: "tool_call" as const,
      toolName: "Bash",
      toolArguments: { command: "ls" },
      callId: "c",
      toolOutput: "notes.txt",
    };
    expect(hasAll(searchedText(call), ["bash", "ls", "notes"])).toBe(true);
  });
});

describe("finds", () => {
  const kept = new Map([4, 5, 6].map((position) => [`m${position}`, { position }]));

  test("stand in the order of the session, what only the page has found among them", () => {
    const local = [
      { itemId: "m4", position: 4 },
      { itemId: "m5", position: 5 },
      { itemId: "m6", position: 6 },
    ];
    expect(hitsInOrder(["m6", "m4", "m1"], local, kept)).toEqual(["m1", "m4", "m5", "m6"]);
    expect(hitsInOrder([], local, kept)).toEqual(["m4", "m5", "m6"]);
  });

  test("are counted as far as they are known", () => {
    const all = { isCut: false, hasFailed: false };
    expect(countText(0, 0, all)).toBe("No finds");
    expect(countText(2, 12, all)).toBe("3 of 12");
    expect(countText(2, 12, { ...all, isCut: true })).toBe("3 of 12+");
    expect(countText(0, 0, { ...all, hasFailed: true })).toBe("Search failed");
    expect(countText(2, 12, { ...all, hasFailed: true })).toBe("3 of 12+");
  });

  test("are grouped by session, the newest first", () => {
    const hit = (sessionId: string, itemId: string) => ({ sessionId, itemId, snippet: "" });
    const groups = bySession([hit("b", "1"), hit("a", "2"), hit("b", "3")]);
    expect(groups.map(({ sessionId, hits }) => [sessionId, hits.length])).toEqual([
      ["b", 2],
      ["a", 1],
    ]);
  });
});
