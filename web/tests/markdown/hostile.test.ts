// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { HOSTILE } from "../../e2e/hostile-payloads";
import { MarkdownView } from "../../src/markdown/markdown-view";

const ELEMENTS = new Set(
  `div p h3 h4 h5 h6 strong em s code br a span ul ol li blockquote hr table thead tbody tr th td figure figcaption
   pre button`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  "class href target rel title start scope role tabindex type aria-label aria-pressed".split(" "),
);

function expectHarmless(root: Element, said: string): void {
  for (const found of root.querySelectorAll("*")) {
    if (!ELEMENTS.has(found.localName)) throw new Error(`<${found.localName}> in ${JSON.stringify(said)}`);
    for (const { name, value } of found.attributes) {
      if (!ATTRIBUTES.has(name)) throw new Error(`${name} in ${JSON.stringify(said)}`);
      if (name === "href" && !/^(https?:\/\/|mailto:)/.test(value)) throw new Error(`${value} as a link`);
    }
    if (found instanceof HTMLAnchorElement && found.rel !== "noopener noreferrer") throw new Error("no rel");
  }
}

test("there are as many hostile payloads as is promised", () => {
  expect(HOSTILE.length).toBeGreaterThan(200);
});

test("no prefix of anything hostile becomes more than text and harmless links", () => {
  for (const payload of HOSTILE) {
    const view = new MarkdownView();
    for (let end = 1; end <= payload.length; end += 1) {
      view.update(payload.slice(0, end), false);
      expectHarmless(view.root, payload.slice(0, end));
    }
    view.update(payload, true);
    expectHarmless(view.root, payload);
  }
}, 60_000);

test("all of it in one text is harmless too", () => {
  const all = HOSTILE.join("\n\n");
  const view = new MarkdownView();
  for (let end = 0; end < all.length; end += 97) {
    view.update(all.slice(0, end), false);
    expectHarmless(view.root, "all");
  }
  view.update(all, true);
  expectHarmless(view.root, "all");
});

/** Long enough for whatever takes the square of its length to be noticed by the test's own time limit. */
test.each([
  ">",
  "> ",
  "- ",
  "1. ",
  "[",
  "![",
  "**a ",
  "_a ",
  "``a ",
  "<a ",
  "|",
  "(",
  "~~a ",
  "*a _b ",
  "a**b",
  "[a](",
])("%j without end is drawn and does no harm", (sign) => {
  for (const text of [sign.repeat(400), sign.repeat(8_000)]) {
    const view = new MarkdownView();
    view.update(text, false);
    expectHarmless(view.root, sign);
    view.update(`${text}\n`, true);
    expectHarmless(view.root, sign);
  }
});
