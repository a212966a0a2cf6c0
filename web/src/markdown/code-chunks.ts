/**
 * Code as chunks of lines: the browser lays out only those that are in sight, and what was drawn is never touched
 * when more is written.
 */
import { element } from "../dom/dom";

export const CHUNK_LINES = 40;

export class CodeChunks {
  readonly root = element("code");
  private last: Text | undefined;
  private lines = 0;
  private shown = "";

  get text(): string {
    return this.shown;
  }

  append(text: string): void {
    this.shown += text;
    let from = 0;
    while (from < text.length) {
      const to = this.endOfChunk(text, from);
      this.chunk().appendData(text.slice(from, to));
      from = to;
    }
  }

  /** Where each chunk begins in the text, with its element. */
  chunks(): { start: number; node: Element }[] {
    let start = 0;
    return [...this.root.children].map((node) => {
      const chunk = { start, node };
      start += node.textContent?.length ?? 0;
      return chunk;
    });
  }

  private endOfChunk(text: string, from: number): number {
    if (this.lines === CHUNK_LINES) this.close();
    let to = from;
    while (to < text.length && this.lines < CHUNK_LINES) {
      const end = text.indexOf("\n", to);
      if (end < 0) return text.length;
      this.lines += 1;
      to = end + 1;
    }
    return to;
  }

  private close(): void {
    this.last?.parentElement?.classList.add("whole");
    this.last = undefined;
    this.lines = 0;
  }

  private chunk(): Text {
    if (this.last) return this.last;
    this.last = document.createTextNode("");
    this.root.append(element("span", "code-chunk", this.last));
    return this.last;
  }
}
