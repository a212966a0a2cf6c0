// @vitest-environment happy-dom
import fc from "fast-check";
import { expect, test } from "vitest";
import { MarkdownView } from "../../src/markdown/markdown-view";
import { domText } from "./dom-text";

/** Pieces that mean something in Markdown, and meet in ways that nobody would think of. */
const PIECES = [
  ..."a b 1 # - * + _ ` ~ > | : [ ] ( ) ! < & \\ = . x".split(" "),
  ..."word **bold** _em_ `code` ~~no~~ [t](http://h.de/p) ![i](http://h.de) http://u.de/a?b www.w.de".split(
    " ",
  ),
  " ",
  "  ",
  "    ",
  "\t",
  "\n",
  "\n",
  "\n\n",
  "\n\n\n",
  "\r\n",
  "\r",
  "- item\n",
  "1. one\n",
  "  - nested\n",
  "* [ ] task\n",
  "- [x] done\n",
  "> quote\n",
  "> - in quote\n",
  "| a | b |\n|---|:-:|\n",
  "| 1 | 2 |\n",
  "```rust\n",
  "- ```\n  a\n",
  "1. b\n\n   ~~~\n   c\n",
  "  d\n",
  "   \te\n",
  "  ```",
  "```\n",
  "~~~\n",
  "---\n",
  "***\n",
  "===\n",
  "# Head\n",
  "###",
  "<div>\n",
  "</div>\n",
  "<!-- c\n",
  "<script>\n",
  "[ref]: http://r.de\n",
  "[ref]",
  "[x][ref]",
  "  \n",
  "\\\n",
  "&lt;",
  "&#x41;",
];

const document = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));
/** More of them with RUNS=20000, which takes a minute. */
const RUNS = Number(process.env.RUNS ?? 400);
const TIME = 300_000;
const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

function streamed(text: string, at: number[], isFinal: boolean): MarkdownView {
  const view = new MarkdownView();
  const ends = [...new Set(at)].filter((end) => end < text.length).sort((a, b) => a - b);
  for (const end of ends) view.update(text.slice(0, end), false);
  view.update(text, isFinal);
  return view;
}

function atOnce(text: string, isFinal: boolean): MarkdownView {
  return streamed(text, [], isFinal);
}

test.each([true, false])(
  "any chunking gives the same as the whole at once (final: %s)",
  (isFinal) => {
    fc.assert(
      fc.property(document, cuts, (text, at) => {
        expect(domText(streamed(text, at, isFinal).root)).toBe(domText(atOnce(text, isFinal).root));
      }),
      { numRuns: RUNS },
    );
  },
  TIME,
);

test.each([
  [
    "a row without a bar does not change how the next one grows",
    "| a | b |\n|---|:-:|\na- item\n| a | b |\n|---|:-:|\n",
  ],
  ["a bullet without words below a text may be part of it", "word\n  -  \n  - nested\n"],
  ["nor does a number without words begin a list there", "word\n 1.  \n 1. nested\n\nmore\n"],
])("%s", (_, text) => {
  const view = new MarkdownView();
  for (let end = 1; end <= text.length; end += 1) {
    view.update(text.slice(0, end), false);
    expect(domText(view.root)).toBe(domText(atOnce(text.slice(0, end), false).root));
  }
});

test.each([
  ["items of a list", "- one\n- two\n\n- one\n- two\n\n- one\n- two\n\nend"],
  ["rows of a table", "| a |\n|---|\n| b |\n| b |\n| c |\n| b |\n| b |\n| c |\n\nend"],
])("%s that say the same as others before them are not taken for those", (_, text) => {
  const whole = domText(atOnce(text, true).root);
  for (let first = 1; first < text.length; first += 1)
    for (let second = first + 1; second < text.length; second += 1)
      expect(domText(streamed(text, [first, second], true).root)).toBe(whole);
});

test(
  "letter by letter is the same as the whole at once, at every letter",
  () => {
    fc.assert(
      fc.property(document, (text) => {
        const view = new MarkdownView();
        for (let end = 1; end <= text.length; end += 1) {
          view.update(text.slice(0, end), false);
          expect(domText(view.root)).toBe(domText(atOnce(text.slice(0, end), false).root));
        }
      }),
      { numRuns: RUNS / 20 },
    );
  },
  TIME,
);

test(
  "an edit is drawn as if it had been written so",
  () => {
    fc.assert(
      fc.property(document, document, fc.boolean(), (before, after, isFinal) => {
        const view = atOnce(before, isFinal);
        view.update(after, true);
        expect(domText(view.root)).toBe(domText(atOnce(after, true).root));
      }),
      { numRuns: RUNS / 2 },
    );
  },
  TIME,
);
