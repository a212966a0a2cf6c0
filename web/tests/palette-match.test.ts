import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findIn, findWord } from "../src/palette/match";

const marked = (typed: string, text: string) => {
  const at = new Set(findIn(typed, [text])?.at[0]);
  return [...text].map((letter, index) => (at.has(index) ? letter.toUpperCase() : letter)).join("");
};
const best = (typed: string, texts: string[]) =>
  texts
    .map((text) => ({ text, score: findIn(typed, [text])?.score ?? Number.NEGATIVE_INFINITY }))
    .sort((a, b) => b.score - a.score)[0]?.text;

describe("letters are found", () => {
  test.each([
    ["dark", "use dark theme", "use DARK theme"],
    ["ud", "use dark theme", "Use Dark theme"],
    ["nses", "new session", "New SESsion"],
    ["stngs", "open settings", "open SetTiNGS"],
    ["theme dark", "use dark theme", "use DARK THEME"],
    ["hem", "use dark theme", "use dark tHEMe"],
    ["", "anything", "anything"],
  ])("%s in %s", (typed, text, expected) => expect(marked(typed, text)).toBe(expected));

  test("in what stands beside the name, too", () => {
    expect(findIn("fix liminal", ["Fix the build", "liminal · codex"])?.at).toEqual([
      [0, 1, 2],
      [0, 1, 2, 3, 4, 5, 6],
    ]);
  });

  test("whatever the case and the script", () => {
    expect(marked("привет", "ПРИВЕТ")).toBe("ПРИВЕТ");
    expect(findWord("STRASSE", "straße")).toBeUndefined();
  });
});

describe("nothing is found", () => {
  test.each([
    ["xyz", "use dark theme"],
    ["rke", "use dark theme"],
    ["the", "send with Ctrl+Enter"],
    ["emad", "use dark theme"],
    ["dark light", "use dark theme"],
  ])("by %s in %s", (typed, text) => expect(findIn(typed, [text])).toBeUndefined());
});

describe("the better one comes first", () => {
  test.each([
    ["se", ["Use session", "Send with Enter", "Close"], "Send with Enter"],
    ["new", ["Renew the key", "New session", "Anew"], "New session"],
    ["dark", ["Use dark theme", "darkness falls and so on"], "Use dark theme"],
    ["the", ["Then", "The end"], "The end"],
    ["st", ["Show keyboard shortcuts", "Stop the turn"], "Stop the turn"],
  ])("%s", (typed, texts, expected) => expect(best(typed, texts)).toBe(expected));

  test("a name before what stands beside it", () => {
    const inName = findIn("demo", ["demo", "x"])?.score ?? 0;
    const beside = findIn("demo", ["x", "demo"])?.score ?? 0;
    expect(inName).toBeGreaterThan(beside);
  });
});

test("every part of a text is found in it, at places that spell it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.nat(), (text, from, length) => {
      const begin = from % text.length;
      const part = text.slice(begin, begin + 1 + (length % 8));
      fc.pre(!/\s/.test(part));
      const found = findWord(part, text);
      const spelled = found?.at.map((place) => text[place]?.toLowerCase()).join("");
      expect(spelled).toBe([...Array(part.length).keys()].map((at) => part[at]?.toLowerCase()).join(""));
    }),
  );
});
