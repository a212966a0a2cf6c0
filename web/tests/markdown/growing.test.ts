// @vitest-environment happy-dom
import { Lexer } from "marked";
import { expect, test, vi } from "vitest";
import { MarkdownView } from "../../src/markdown/markdown-view";
import { isEnormous, MessageText, pieceEnd } from "../../src/markdown/message-text";
import { domText } from "./dom-text";

const DOCUMENT = `# Title

A paragraph with **strong words** and a [link](https://example.com/a).

- first
- second
  - nested
- third

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |
| 5 | 6 |

\`\`\`text
${Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n")}
\`\`\`

The end.
`;

test("blocks that are final keep their nodes", () => {
  const view = new MarkdownView();
  const seen = new Map<Node, string>();
  for (let end = 1; end <= DOCUMENT.length; end += 1) {
    view.update(DOCUMENT.slice(0, end), false);
    const blocks = blocksOf(view);
    for (const [node, text] of seen) {
      expect(view.root.contains(node)).toBe(true);
      expect(node.textContent).toBe(text);
    }
    for (const block of blocks.slice(0, -2)) seen.set(block, block.textContent ?? "");
    const items = [...view.root.querySelectorAll("li, tbody tr, .code-chunk")];
    for (const item of items.slice(0, -3)) seen.set(item, item.textContent ?? "");
  }
  const before = blocksOf(view);
  view.update(DOCUMENT, true);
  expect(blocksOf(view)).toEqual(before);
  expect(seen.size).toBeGreaterThan(8);
});

test("a paragraph, its words and its emphasis grow in their nodes", () => {
  const view = new MarkdownView();
  view.update("some **stro", false);
  const [paragraph, strong] = [view.root.querySelector("p"), view.root.querySelector("strong")];
  const text = paragraph?.firstChild;
  expect(strong?.textContent).toBe("stro");
  view.update("some **strong** and more", false);
  expect(view.root.querySelector("p")).toBe(paragraph);
  expect(view.root.querySelector("strong")).toBe(strong);
  expect(paragraph?.firstChild).toBe(text);
  expect(paragraph?.textContent).toBe("some strong and more");
});

test("what is changed by an update does not grow with the text", async () => {
  for (const block of [
    "A paragraph of a few words.\n\n",
    "- an item\n",
    "a row | of a table\n",
    "code();\n",
  ]) {
    const start = block.includes("|") ? "a | b\n---|---\n" : block.includes(";") ? "```\n" : "";
    expect(await changesPerUpdate(start, block, 400)).toBeLessThanOrEqual(
      (await changesPerUpdate(start, block, 40)) + 2,
    );
  }
});

/** The most nodes that were changed by one of the last updates. */
async function changesPerUpdate(start: string, block: string, count: number): Promise<number> {
  const view = new MarkdownView();
  view.update(start + block.repeat(count), false);
  const observer = new MutationObserver(() => {});
  observer.observe(view.root, { subtree: true, childList: true, characterData: true, attributes: true });
  let most = 0;
  for (let more = 1; more < 60; more += 1) {
    view.update(start + block.repeat(count) + block.repeat(3).slice(0, more), false);
    const records = observer.takeRecords();
    most = Math.max(most, records.length);
  }
  observer.disconnect();
  return most;
}

test("what is enormous is plain until Markdown is asked for", () => {
  expect(isEnormous("x".repeat(512 * 1024))).toBe(false);
  expect(isEnormous("x".repeat(512 * 1024 + 1))).toBe(true);
  expect(isEnormous("\n".repeat(20_001))).toBe(true);
  const text = new MessageText();
  const content = `**bold**\n${"\n".repeat(20_001)}`;
  text.update(content, true);
  expect(text.root.querySelector("pre")?.textContent).toBe(content);
  text.root.querySelector("button")?.click();
  expect(text.root.querySelector("strong")?.textContent).toBe("bold");
  expect(text.root.querySelector("pre")).toBe(null);
});

test("what is long and comes at once is drawn over several frames, and comes out as if drawn at once", async () => {
  // Of its own: on a busy machine what another test drew may still wait for a frame, and it would be drawn with that.
  vi.resetModules();
  const { MessageText } = await import("../../src/markdown/message-text");
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal("requestAnimationFrame", (work: FrameRequestCallback) => frames.push(work));
  // Every look at the clock finds that a frame is over.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += 100;
    return now;
  });
  const content = DOCUMENT.repeat(40);
  const text = new MessageText();
  text.update(content.slice(0, -10), false);
  const lengths = [text.root.textContent?.length ?? 0];
  text.update(content, true);
  lengths.push(text.root.textContent?.length ?? 0);
  while (frames.length > 0) {
    frames.shift()?.(0);
    lengths.push(text.root.textContent?.length ?? 0);
  }
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(lengths.length).toBeGreaterThan(5);
  for (const [at, length] of lengths.entries())
    if (at > 0) expect(length - (lengths[at - 1] ?? 0)).toBeLessThanOrEqual(4_096);
  const whole = new MarkdownView();
  whole.update(content, true);
  expect(domText(text.root.firstElementChild as Element)).toBe(domText(whole.root));
});

test("a piece ends after a whole line, if there is one", () => {
  expect(pieceEnd("short", 0)).toBe(5);
  expect(pieceEnd("x".repeat(9_000), 0)).toBe(4_096);
  expect(pieceEnd(`${"x".repeat(3_000)}\n${"y".repeat(3_000)}\n`, 0)).toBe(3_001);
});

test("long code inside of an item is not read again, and comes out as if it had come whole", () => {
  const body = Array.from({ length: 500 }, (_, at) => `   \tline ${at}\n${at % 7 === 0 ? "\n" : ""}`).join(
    "",
  );
  const text = `1. Step\n\n   \`\`\`go\n${body}`;
  const end = "   ```\n\n2. Next\n";
  const read = vi.spyOn(Lexer.prototype, "blockTokens");
  const view = new MarkdownView();
  for (let to = 40; to < text.length; to += 11) view.update(text.slice(0, to), false);
  const characters = read.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
  read.mockRestore();
  expect(characters).toBeLessThan(1_000);
  expect(view.root.querySelector(".fence")?.textContent).toContain("line 498");
  const whole = new MarkdownView();
  whole.update(text + end, true);
  view.update(text + end, true);
  expect(domText(view.root)).toBe(domText(whole.root));
});

function blocksOf(view: MarkdownView): Element[] {
  return [...view.root.children].flatMap((stretch) => [...stretch.children]);
}
