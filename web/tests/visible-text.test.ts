import { expect, test } from "vitest";
import { visibleJson, visibleLine, visibleName, visibleText } from "../src/text/visible-text";
import { costRatio } from "./cost";

test.each([
  ["an escape sequence", "a\u001b[31mb", "a\\u001b[31mb"],
  ["a carriage return", "good\rbad", "good\\u000dbad"],
  ["a null", "\u0000", "\\u0000"],
  ["delete and C1 controls", "\u007f\u0085", "\\u007f\\u0085"],
  ["a direction override", "a\u202eb", "a\\u202eb"],
  ["characters of no width", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
  ["a soft hyphen", "rm\u00ad", "rm\\u00ad"],
  ["a filler that looks like a space", "\u3164", "\\u3164"],
  ["line and paragraph separators", "\u2028\u2029", "\\u2028\\u2029"],
  ["tag characters", "\u{e0041}", "\\udb40\\udc41"],
])("%s is shown as an escape", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
  expect(visibleLine(text)).toBe(shown);
});

test("what can be seen stays as it is", () => {
  const text = "cargo test -- --nocapture · naïve ✓ 日本語 👍";
  expect(visibleText(text)).toBe(text);
});

test.each([
  ["a warning sign", "⚠\ufe0f careful"],
  ["a keycap", "step 1\ufe0f\u20e3"],
  [
    "a flag, also of a region",
    "\u{1f1e9}\u{1f1ea} \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  ],
  ["a family and a heart on fire", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}❤\ufe0f\u200d\u{1f525}"],
  ["a skin tone", "\u{1f44d}\u{1f3fd}"],
])("%s stays one picture", (_, text) => {
  expect(visibleText(text)).toBe(text);
  expect(visibleLine(text)).toBe(text);
});

test.each([
  ["a joiner between letters", "r\u200dm", "r\\u200dm"],
  ["a selector after a letter", "x\ufe0f", "x\\ufe0f"],
  ["a selector after a number", "1\ufe0f2", "1\\ufe0f2"],
  ["a second selector", "⚠\ufe0f\ufe0f", "⚠\ufe0f\\ufe0f"],
  ["a joiner that joins nothing", "\u{1f468}\u200d", "\u{1f468}\\u200d"],
  [
    "tags that are no flag",
    "\u{1f600}\u{e0072}\u{e006d}\u{e007f}",
    "\u{1f600}\\udb40\\udc72\\udb40\\udc6d\\udb40\\udc7f",
  ],
  ["an override beside a picture", "⚠\ufe0f\u202e", "⚠\ufe0f\\u202e"],
])("%s is no picture and is shown as an escape", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
  expect(visibleLine(text)).toBe(shown);
});

test("what text with pictures costs grows with its length and no faster", () => {
  const cost = (lines: number) => {
    const text = "a line of output ⚠\ufe0f 10 of 20 #1 done\n".repeat(lines);
    const from = performance.now();
    expect(visibleText(text)).toBe(text);
    return performance.now() - from;
  };
  // Ten times as long; the square would be a hundred.
  expect(
    costRatio(
      () => cost(2_000),
      () => cost(20_000),
      25,
    ),
  ).toBeLessThanOrEqual(25);
});

test("a name is one line, and hides nothing", () => {
  expect(visibleName(" mend\n\n  the\tlist \u202e")).toBe("mend the list \\u202e");
});

test("several lines keep their line feeds and tabs, one line does not", () => {
  expect(visibleText("a\n\tb")).toBe("a\n\tb");
  expect(visibleLine("a\n\tb")).toBe("a\\u000a\\u0009b");
});

test("JSON is indented and hides nothing", () => {
  expect(visibleJson({ command: "ls\n\u202e" })).toBe('{\n  "command": "ls\\n\\u202e"\n}');
});
