import { expect, test } from "vitest";
import { visibleJson, visibleLine, visibleText } from "../src/text/visible-text";

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

test("several lines keep their line feeds and tabs, one line does not", () => {
  expect(visibleText("a\n\tb")).toBe("a\n\tb");
  expect(visibleLine("a\n\tb")).toBe("a\\u000a\\u0009b");
});

test("JSON is indented and hides nothing", () => {
  expect(visibleJson({ command: "ls\n\u202e" })).toBe('{\n  "command": "ls\\n\\u202e"\n}');
});
