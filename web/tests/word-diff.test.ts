import fc from "fast-check";
import { expect, test } from "vitest";
import { type Words, wordDiff } from "../src/items/word-diff";

function marked(words: Words | undefined): string {
  return (words ?? []).map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("");
}

test("the words that are others are marked", () => {
  const found = wordDiff("for attempt in 0..=limit {", "for attempt in 0..limit.get() {");
  expect(marked(found?.before)).toBe("for attempt in 0..[=]limit {");
  expect(marked(found?.after)).toBe("for attempt in 0..limit[.get()] {");
});

test("lines that share little are not compared word by word", () => {
  expect(wordDiff("let a = 1;", "return Err(Failure::Closed)")).toBeUndefined();
});

test("lines that are very long are not compared word by word", () => {
  expect(wordDiff("x".repeat(1_001), `${"x".repeat(1_001)}y`)).toBeUndefined();
  expect(wordDiff("a ".repeat(200), "a ".repeat(201))).toBeUndefined();
});

test("the words make up the lines, and what is not marked is in both", () => {
  const text = fc.string({ maxLength: 60 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const found = wordDiff(before, after);
      if (!found) return;
      const joined = (words: Words) => words.map(({ text }) => text).join("");
      const kept = (words: Words) => joined(words.filter(({ isChanged }) => !isChanged));
      expect(joined(found.before)).toBe(before);
      expect(joined(found.after)).toBe(after);
      expect(kept(found.before)).toBe(kept(found.after));
    }),
  );
});
