import { expect, test } from "vitest";
import {
  commandChoices,
  completed,
  fileChoices,
  markedAt,
  type Trigger,
  triggerAt,
} from "../src/compose/completion";

/** The caret stands where the bar is. */
function at(marked: string) {
  const caret = marked.indexOf("|");
  return { text: marked.replace("|", ""), caret };
}

test.each([
  ["/|", "command", ""],
  ["/he|", "command", "he"],
  ["@|", "file", ""],
  ["look at @src/ma|", "file", "src/ma"],
  ["(@a|)", "file", "a"],
  ["first\n@b|", "file", "b"],
])("%s is completed as a %s", (marked, kind, query) => {
  expect(triggerAt(at(marked))).toMatchObject({ kind, query });
});

test.each(["|", "a|", "/help |", "say /he|", "me@example|", "@a b|", "a/b|"])(
  "%s is left alone",
  (marked) => {
    expect(triggerAt(at(marked))).toBeUndefined();
  },
);

test.each([
  ["look at @ma|", "src/main.ts", "look at @src/main.ts |"],
  ["@ma| and more", "main.ts", "@main.ts |and more"],
  ["/he|", "help", "/help |"],
])("what is taken stands in place of what was begun: %s", (marked, value, expected) => {
  const written = at(marked);
  const { text, caret } = completed(written, triggerAt(written) as Trigger, value);
  expect(`${text.slice(0, caret)}|${text.slice(caret)}`).toBe(expected);
});

test("commands that begin so come first, and one that is written in full is sent by Enter", () => {
  const commands = ["unlist", "list", "help"].map((name) => ({ name, description: `about ${name}` }));
  const choices = commandChoices(commands, "list");
  expect(choices.map(({ value }) => value)).toEqual(["list", "unlist"]);
  expect(markedAt(choices, { kind: "command", from: 0, to: 5, query: "list" })).toBe(-1);
  expect(markedAt(choices, { kind: "command", from: 0, to: 4, query: "lis" })).toBe(0);
});

test("a file is named before its place", () => {
  expect(fileChoices(["README.md", "src/a/main.ts"])).toEqual([
    { value: "README.md", name: "README.md" },
    { value: "src/a/main.ts", name: "main.ts", detail: "src/a" },
  ]);
});
