/**
 * Code that is still being written inside of the last item of a list: taken line by line, without reading the item again.
 *
 * Lines that are blank, or stand in as far as the item's text, are code for sure. Whatever else comes ends this: then the item is
 * read once more, and it decides.
 */
import type { Token, Tokens } from "marked";
import type { CodeChunks } from "./code-chunks";

const FENCE = /^(`{3,}|~{3,})[^\n]*(?:\n|$)/;
const MARKER = /^( {0,3}(?:[*+-]|\d{1,9}[.)]))([^\n]*)/;

/** Where the code stands: how far in, and what ends it. */
export type Place = { indent: number; closing: RegExp };

/** The open fence that a list ends in, if it stands where its lines can be told from others. */
export function openFenceIn(list: Tokens.List): Place | undefined {
  let indent = 0;
  let item = list.items.at(-1);
  while (item) {
    const own = indentOf(item.raw);
    if (own === undefined) return undefined;
    indent += own;
    const last = item.tokens.findLast((token) => token.type !== "space");
    if (last?.type !== "list") return last && placeOf(last, indent);
    item = (last as Tokens.List).items.at(-1);
  }
  return undefined;
}

export class ItemFence {
  /** Space that is shown once something follows it. */
  private pending = "";
  /** How much of the unfinished line was taken. */
  private taken = 0;

  private constructor(
    private readonly code: CodeChunks,
    private readonly place: Place,
    /** Where the unfinished line begins. */
    private at: number,
  ) {}

  /** `text` was read up to its end, and `code` shows what it holds. */
  static at(text: string, code: CodeChunks, place: Place): ItemFence | undefined {
    const at = text.lastIndexOf("\n") + 1;
    const fence = new ItemFence(code, place, at);
    return fence.goOnFrom(text) ? fence : undefined;
  }

  /** Takes what is new. Gives whether the code goes on; if not, the item has to be read. */
  feed(text: string): boolean {
    for (;;) {
      const end = text.indexOf("\n", this.at);
      const line = text.slice(this.at, end < 0 ? text.length : end);
      if (!this.isCode(line)) return false;
      const shown = this.stripped(line);
      if (end < 0) return this.feedUnfinished(shown);
      if (this.place.closing.test(shown)) return false;
      this.put(`${shown.slice(this.taken)}\n`);
      this.taken = 0;
      this.at = end + 1;
    }
  }

  private feedUnfinished(line: string): boolean {
    if (isHalfFence(line)) return true;
    this.put(line.slice(this.taken));
    this.taken = line.length;
    return true;
  }

  /** Finds what was left out at the end of the code: the reader of the item takes no space there. */
  private goOnFrom(text: string): boolean {
    let from = this.at;
    do {
      if (from === 0) return false;
      from = text.lastIndexOf("\n", from - 2) + 1;
    } while (text.slice(from, text.indexOf("\n", from)).trim() === "");
    const lines = text.slice(from, this.at).split("\n").slice(0, -1);
    const unfinished = text.slice(this.at);
    if (![...lines, unfinished].every((line) => this.isCode(line))) return false;
    const isHalf = isHalfFence(this.stripped(unfinished));
    const end = isHalf ? "" : this.stripped(unfinished);
    const written = `${lines.map((line) => this.stripped(line)).join("\n")}\n${end}`;
    this.taken = end.length;
    this.pending = written.slice(written.trimEnd().length);
    return this.code.text.endsWith(written.trimEnd());
  }

  private put(text: string): void {
    const all = this.pending + text;
    const shown = all.trimEnd();
    this.code.append(shown);
    this.pending = all.slice(shown.length);
  }

  private isCode(line: string): boolean {
    return line.trim() === "" || spaceBefore(line).length >= this.place.indent;
  }

  private stripped(line: string): string {
    const space = spaceBefore(line);
    return (space + line.trimStart()).slice(this.place.indent);
  }
}

/** How far in the text of an item stands, if its first line tells. */
function indentOf(raw: string): number | undefined {
  const [, marker = "", rest = ""] = MARKER.exec(raw) ?? [];
  if (marker === "" || rest.includes("\t")) return undefined;
  if (rest.trim() === "") return marker.length + 1;
  const space = rest.search(/[^ ]/);
  return marker.length + (space > 4 ? 1 : space);
}

function placeOf(token: Token, indent: number): Place | undefined {
  if (token.type !== "code" || token.codeBlockStyle === "indented") return undefined;
  const [opening, ticks] = FENCE.exec(token.raw) ?? [];
  if (opening === undefined || ticks === undefined || !token.raw.includes("\n")) return undefined;
  const closing = new RegExp(`^ {0,3}${ticks}[~\`]* *$`);
  const last = token.raw.slice(token.raw.lastIndexOf("\n") + 1);
  return last !== "" && token.raw.length > opening.length && closing.test(last)
    ? undefined
    : { indent, closing };
}

function isHalfFence(line: string): boolean {
  return /^[ \t>]*[`~]+ *$/.test(line);
}

/** The space that a line begins with, tabs as far as the next fourth column. */
function spaceBefore(line: string): string {
  const [written = ""] = /^[ \t]*/.exec(line) ?? [];
  let space = "";
  for (const sign of written) space += sign === "\t" ? " ".repeat(4 - (space.length % 4)) : " ";
  return space;
}
