// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { MarkdownView } from "../../src/markdown/markdown-view";
import { domText } from "./dom-text";

function drawn(text: string): string {
  const view = new MarkdownView();
  view.update(text, true);
  return domText(view.root);
}

test("headings are below those of the page, and underlining makes none", () => {
  expect(drawn("# One\n## Two\n###### Six\n\nText\n---\nMore")).toMatchSnapshot();
});

test("text, emphasis, code and line breaks", () => {
  expect(
    drawn("A **b** _c_ ~~d~~ `e  f` about ~5 and ~6  \nnext\\\nlast &lt;tag&gt; \\*no\\*"),
  ).toMatchSnapshot();
});

test("lists", () => {
  expect(drawn("- a\n- b\n\n  more\n  1. x\n  2. y\n\n3. third\n\n- [ ] open\n- [x] done")).toMatchSnapshot();
});

test("quotes, rules and tables", () => {
  expect(
    drawn("> a\n> > b\n\n---\n\n| a | b | c |\n|:--|:-:|--:|\n| 1 | `x|y` | **3** |\n| 4 |"),
  ).toMatchSnapshot();
});

test("code", () => {
  expect(
    drawn("```rust\nfn main() {}\n\n```\n\n    indented\n\n- item\n  ```\n  inside\n  ```"),
  ).toMatchSnapshot();
});

test("raw HTML is text", () => {
  expect(drawn('<div onclick="x">\n\n**b** <b>c</b> <!-- d -->\n\n<script>\n\n*e*')).toMatchSnapshot();
});

test("links say where they lead", () => {
  expect(
    drawn(
      [
        "[docs](https://docs.rs/marked) [https://good.example/](https://evil.example/)",
        "https://plain.example/a?b=1&amp;c=2 www.bare.example [mail](mailto:a@b.example) <https://x.example>",
        "[file](src/main.rs:12) [run](javascript:alert(1)) ![pic](https://pics.example/p.png) ![](//x/y)",
        "[a\u202eb\u200bc](https://h.example/\u202e) [u](https://good.example@evil.example/) https://еxample.com/",
        "[ref] and [words][ref] and [none]",
        "",
        "[ref]: https://ref.example/later",
      ].join("\n"),
    ),
  ).toMatchSnapshot();
});
