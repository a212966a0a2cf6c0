// @vitest-environment happy-dom
import fc from "fast-check";
import { expect, test } from "vitest";
import { MarkdownView } from "../../src/markdown/markdown-view";
import { domText } from "./dom-text";

const BLOCKS = [
  "Some words.",
  "# A title",
  "---",
  "- one\n- two",
  "```js\nlet a;\n```",
  "| a |\n|---|\n| b |",
  "> said",
  "Setext\n===",
];
const document = fc.array(fc.constantFrom(...BLOCKS), { minLength: 30, maxLength: 120 });

test("where a stretch ends depends on its blocks alone, not on how they came", () => {
  fc.assert(
    fc.property(document, fc.integer({ min: 1, max: 40 }), (blocks, step) => {
      const text = blocks.join("\n\n");
      const [whole, grown] = [new MarkdownView(), new MarkdownView()];
      whole.update(text, true);
      for (let end = step; end < text.length; end += step) grown.update(text.slice(0, end), false);
      grown.update(text, true);
      expect(domText(grown.root)).toBe(domText(whole.root));
    }),
    { numRuns: 60 },
  );
});

test("stretches are of some screens each, and between two of them is as much room as between their blocks", () => {
  fc.assert(
    fc.property(document, (blocks) => {
      const view = new MarkdownView();
      view.update(blocks.join("\n\n"), true);
      const stretches = [...view.root.children].map((stretch) => [...stretch.children]);
      for (const [at, stretch] of stretches.entries()) {
        expect(stretch.length).toBeGreaterThan(0);
        const edges = [at > 0 && stretch[0], at < stretches.length - 1 && stretch.at(-1)];
        for (const edge of edges) if (edge) expect(edge.tagName).not.toMatch(/^H/);
        if (at < stretches.length - 1) expect(stretch.length).toBeGreaterThanOrEqual(24);
      }
    }),
  );
});

test("a message that shrinks to few blocks leaves no empty stretch", () => {
  const view = new MarkdownView();
  view.update(Array.from({ length: 60 }, (_, at) => `Words ${at}.`).join("\n\n"), false);
  expect(view.root.childElementCount).toBeGreaterThan(1);
  view.update("Other words.", false);
  expect([...view.root.children].map(({ childElementCount }) => childElementCount)).toEqual([1]);
});
