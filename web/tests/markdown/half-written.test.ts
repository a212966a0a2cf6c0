// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { withoutHalves } from "../../src/markdown/half-written";
import { MarkdownView } from "../../src/markdown/markdown-view";

test.each([
  ["some **bo", "some **bo**"],
  ["some **bold*", "some **bold**"],
  ["some **bold**", "some **bold**"],
  ["some **", "some "],
  ["a ***b", "a ***b***"],
  ["a **b *c", "a **b *c***"],
  ["a ~~b", "a ~~b~~"],
  ["2*3 is 6", "2*3 is 6"],
  ["snake_case_name", "snake_case_name"],
  ["the `cod", "the `cod`"],
  ["the ``co`de`", "the ``co`de``"],
  ["the `", "the "],
  ["see [the do", "see the do"],
  ["see [the docs]", "see the docs"],
  ["see [the docs](http://exa", "see the docs"],
  ["see [the docs](http://example.com)", "see [the docs](http://example.com)"],
  ["see ![a picture](http://exa", "see a picture"],
  ["see <https://exa", "see "],
  ["text\n#", "text\n"],
  ["text\n##", "text\n"],
  ["- one\n-", "- one\n"],
  ["- one\n- ", "- one\n"],
  ["- one\n- [x", "- one\n"],
  ["text\n1.", "text\n"],
  ["text\n--", "text\n"],
  ["text\n``", "text\n"],
  ["text\n```rus", "text\n"],
  ["text\n\n| a | b", "text\n\n"],
  ["text\n\n| a | b |\n", "text\n\n"],
  ["text\n\n| a | b |\n|--", "text\n\n"],
  ["| a | b |\n|---|---|\n| 1", "| a | b |\n|---|---|\n| 1"],
  ["> quoted **bo", "> quoted **bo**"],
  ["whole **line\n", "whole **line\n"],
])("of %j is shown %j", (written, shown) => {
  expect(withoutHalves(written)).toBe(shown);
});

const SIGNS = /[*`[\]|#~]/;

test("signs are never seen before they mean something", () => {
  const text =
    "Some **bold** and `code` and [a link](https://example.com/x).\n\n## Heading\n\n- [x] **done** one\n- ~~no~~\n\n" +
    "| a | b |\n|---|:-:|\n| `1` | **2** |\n\n```rust\nfn main() {}\n```\n\n> *quoted*\n";
  const view = new MarkdownView();
  for (let end = 1; end <= text.length; end += 1) {
    view.update(text.slice(0, end), false);
    expect(view.root.textContent, JSON.stringify(text.slice(0, end))).not.toMatch(SIGNS);
  }
});

test("a bare address is a link only once it is whole", () => {
  const view = new MarkdownView();
  view.update("see https://example.com/pa", false);
  expect(view.root.querySelector("a")).toBe(null);
  view.update("see https://example.com/path now", false);
  expect(view.root.querySelector("a")?.getAttribute("href")).toBe("https://example.com/path");
  const last = new MarkdownView();
  last.update("see https://example.com", false);
  last.update("see https://example.com", true);
  expect(last.root.querySelector("a")?.textContent).toBe("https://example.com");
});
