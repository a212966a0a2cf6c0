/**
 * Marks words in the transcript without changing it.
 *
 * By the Custom Highlight API: the text keeps its nodes, which grow and are copied as they are. Where a browser has no such
 * thing, the rows with finds are marked as a whole.
 */
import { spansOf } from "./words";

const ALL = "found";
const CURRENT = "found-current";
/** More marks than this are not drawn: a word that is everywhere needs no marks. */
const MOST = 2_000;

export class Marks {
  private readonly rows = new Set<HTMLElement>();

  /** Marks the words in these rows, and those of the current one more than others. */
  paint(rows: Iterable<HTMLElement>, words: readonly string[], current: HTMLElement | undefined): void {
    this.clear();
    const all: Range[] = [];
    for (const row of rows) {
      if (all.length >= MOST) break;
      if (row !== current) all.push(...rangesIn(row, words, MOST - all.length));
    }
    const here = current ? rangesIn(current, words, MOST) : [];
    if ("highlights" in CSS) {
      CSS.highlights.set(ALL, new Highlight(...all));
      CSS.highlights.set(CURRENT, new Highlight(...here));
    } else if (current) {
      current.dataset.found = "true";
      this.rows.add(current);
    }
  }

  clear(): void {
    for (const row of this.rows) delete row.dataset.found;
    this.rows.clear();
    if (!("highlights" in CSS)) return;
    CSS.highlights.delete(ALL);
    CSS.highlights.delete(CURRENT);
  }
}

/** Where the words are in the text of an element, at most so many times. */
export function rangesIn(root: HTMLElement, words: readonly string[], most: number): Range[] {
  const found: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text && found.length < most; text = texts.nextNode()) {
    if (text.parentElement?.closest("button, time, .message-author")) continue;
    for (const { from, to } of spansOf(text.nodeValue ?? "", words, most - found.length)) {
      const range = new Range();
      range.setStart(text, from);
      range.setEnd(text, to);
      found.push(range);
    }
  }
  return found;
}
