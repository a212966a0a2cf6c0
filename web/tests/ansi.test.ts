import fc from "fast-check";
import { expect, test } from "vitest";
import { AnsiReader, type Piece, plainOutput } from "../src/items/ansi";

const E = "\u001b";

function read(...written: string[]): Piece[] {
  const reader = new AnsiReader();
  return written.flatMap((text) => reader.read(text));
}

/** What is left on the screen, with its looks. */
function shown(pieces: Piece[]): string {
  let text = "";
  for (const piece of pieces) {
    if (piece === "rewind") text = text.slice(0, text.lastIndexOf("\n") + 1);
    else for (const sign of piece.text) text += sign === "\n" ? sign : `${sign}{${piece.look}}`;
  }
  return text;
}

test("colours and weights become looks, and end where they are ended", () => {
  expect(read(`a ${E}[1;31mred${E}[22m thin${E}[0m b`)).toEqual([
    { text: "a ", look: "" },
    { text: "red", look: "ansi-1 ansi-bold" },
    { text: " thin", look: "ansi-1" },
    { text: " b", look: "" },
  ]);
  expect(read(`${E}[92;44mx${E}[39my${E}[m`)).toEqual([
    { text: "x", look: "ansi-10 ansi-on-4" },
    { text: "y", look: "ansi-on-4" },
  ]);
});

test("any other colour is the nearest that can be read", () => {
  expect(read(`${E}[38;5;196mx`)).toEqual([{ text: "x", look: "ansi-9" }]);
  expect(read(`${E}[38;2;0;120;0mx`)).toEqual([{ text: "x", look: "ansi-2" }]);
  expect(read(`${E}[38;5;240;1mx`)).toEqual([{ text: "x", look: "ansi-8 ansi-bold" }]);
});

test("other sequences are left out, and what cannot be seen is written as an escape", () => {
  expect(read(`a${E}]8;;https://x.example${E}\\link${E}]8;;\u0007${E}[2J${E}[1;1H${E}(Bb\u0007`)).toEqual([
    { text: "alinkb", look: "" },
  ]);
  expect(read("a\u0000b\u202ec")).toEqual([{ text: "a\\u0000b\\u202ec", look: "" }]);
});

test("a line that is written over shows its last state", () => {
  expect(plainOutput("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n");
  expect(plainOutput(`first\nhalf${E}[2Kwhole\n`)).toBe("first\nwhole\n");
});

test("it does not matter where the text is cut", () => {
  const parts = fc.constantFrom(
    "word",
    "\n",
    "\r",
    "\r\n",
    `${E}[31m`,
    `${E}[0m`,
    `${E}]0;t\u0007`,
    `${E}[2K`,
    "é",
    "\t",
  );
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 30 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      (words, cuts) => {
        const text = `${words.join("")}.`;
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const pieces = at.slice(1).map((end, n) => text.slice(at[n], end));
        expect(shown(read(...pieces))).toBe(shown(read(text)));
      },
    ),
  );
});

test("a sequence that never ends holds nothing back for long", () => {
  const pieces = read(`${E}]0;${"x".repeat(10_000)}`, "y");
  expect(pieces.map((piece) => (piece === "rewind" ? "" : piece.text)).join("")).toContain("xxx");
});

/** What terminals understand, whole and in pieces. */
const SEQUENCES = ["[", "]0;t", "P", "\\\\", "31m", "2J", "?25h", "(B", "201~", "words", "\n", "\t"];
const CONTROL = fc.integer({ min: 0, max: 0x9f }).filter((code) => code < 0x20 || code > 0x7e);

test("S-17 nothing that steers a terminal is left of what a program wrote", () => {
  const control = CONTROL.map((code) => String.fromCharCode(code));
  const written = fc.array(fc.oneof(control, fc.constantFrom(...SEQUENCES)), { maxLength: 60 });
  fc.assert(
    fc.property(written, (parts) => {
      for (const text of [plainOutput(parts.join("")), shown(read(...parts))])
        expect(text).not.toMatch(/(?![\n\t])\p{Cc}/u);
    }),
    { numRuns: 1_000 },
  );
});
