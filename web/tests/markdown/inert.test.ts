// @vitest-environment happy-dom
import fc from "fast-check";
import { expect, test } from "vitest";
import { MarkdownView } from "../../src/markdown/markdown-view";
import { inertText } from "../../src/text/inert-text";

test("control characters become pictures of themselves, and nothing moves", () => {
  const written = "a\u001b[2J\u009b2J\u0000\u007fb\n\tc\r\n";
  expect(inertText(written)).toBe("a␛[2J\ufffd2J␀␡b\n\tc\r\n");
  expect(inertText(written)).toHaveLength(written.length);
});

/** What terminals understand, and Markdown around it. */
const PIECES = [
  "\u001b[31m",
  "\u001b]0;title\u0007",
  "\u001bP1$r\u001b\\",
  "\u009b2J",
  "\u009d0;t\u009c",
  "\u0000",
  "\u007f",
  "\r",
  "\n",
  "\n\n",
  "words ",
  "`code\u001b[0m` ",
  "\n```sh\nls \u001b[201~\n",
  "\n```\n",
  "\n- item \u0007",
  "\n| a\u001b |\n|---|\n| \u009b |\n",
  "[link\u001b](http://x.test/\u0007) ",
  "&#27;[2J ",
  "&#x9b; ",
  "<b\u001b>",
  "**bold\u0008** ",
];

test("S-17 no control character of a message reaches the page, however it comes", () => {
  const document = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 9 }), (pieces, step) => {
      const text = pieces.join("");
      const view = new MarkdownView();
      for (let end = step; end < text.length; end += step) {
        view.update(text.slice(0, end), false);
        expect(view.root.textContent).not.toMatch(/(?![\n\t])\p{Cc}/u);
      }
      view.update(text, true);
      expect(view.root.textContent).not.toMatch(/(?![\n\t])\p{Cc}/u);
      for (const one of view.root.querySelectorAll("[title]"))
        expect(one.getAttribute("title")).not.toMatch(/\p{Cc}/u);
    }),
    { numRuns: 300 },
  );
});
