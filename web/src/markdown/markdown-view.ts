/**
 * Draws Markdown that grows, with work in proportion to what is new.
 *
 * Blocks before `done` are final: they were built once and are never touched again. Only what stands behind is read
 * anew with each update: the last block, and of a list or a table its last item or row. Code that is not yet closed is
 * not read again at all, also inside of the last item of a list.
 */
import type { Token, Tokens } from "marked";
import { element } from "../dom/dom";
import { growth } from "../items/text-growth";
import { inertText } from "../text/inert-text";
import { lexBlocks } from "./block-lexer";
import { type Drawn, isDrawn, syncBlocks } from "./block-view";
import { mentionsAny } from "./definitions";
import { ItemFence, openFenceIn } from "./item-fence";
import { ListBlock } from "./list-view";
import { OpenFence } from "./open-fence";
import { Stretches } from "./stretches";
import { TableBlock } from "./table-view";
import { type Tail, tailOf } from "./tail";
import { shownTokens } from "./unfinished";

/** A final block, kept to find those that refer to what is defined later. */
type Part = { start: number; end: number; node: Element };

export class MarkdownView {
  readonly root: HTMLElement = element("div", "prose");
  private readonly stretches = new Stretches(this.root);
  private written = "";
  /** How much of what was written is in the text: a carriage return at the end waits for what follows it. */
  private taken = 0;
  private text = "";
  private isFinal = false;
  private done = 0;
  /** Where the first block that is not final began, if some of its items or rows are done. */
  private begun: number | undefined;
  /** The first two lines of a table whose first rows are done: the others mean nothing without them. */
  private tableHead = "";
  private fence: { open: OpenFence; start: number } | undefined;
  private itemFence: ItemFence | undefined;
  private live: Drawn[] = [];
  private parts: Part[] = [];
  private definitions = new Map<string, string>();

  update(written: string, isFinal: boolean): void {
    const change = growth(this.written, written);
    if (change.kind === "same" && this.isFinal === isFinal) return;
    if (change.kind === "replace" || this.isFinal) this.reset();
    this.written = written;
    this.isFinal = isFinal;
    this.take();
    if (this.itemFence && !isFinal && this.itemFence.feed(this.text)) return;
    this.itemFence = undefined;
    do {
      if (this.fence && !this.feedFence(this.fence)) return;
    } while (this.drawTail());
    if (isFinal) this.complete();
  }

  private reset(): void {
    this.stretches.clear();
    this.taken = 0;
    this.text = "";
    this.done = 0;
    this.begun = undefined;
    this.tableHead = "";
    this.fence = undefined;
    this.itemFence = undefined;
    this.live = [];
    this.parts = [];
    this.definitions.clear();
  }

  private take(): void {
    const waits = !this.isFinal && this.written.endsWith("\r");
    const end = waits ? this.written.length - 1 : this.written.length;
    this.text += inertText(this.written.slice(this.taken, end).replace(/\r\n?/g, "\n"));
    this.taken = end;
  }

  /** Gives whether the fence has ended. */
  private feedFence({ open, start }: { open: OpenFence; start: number }): boolean {
    const { taken, isClosed } = open.feed(this.text.slice(this.done), this.isFinal);
    this.done += taken;
    if (!isClosed) return false;
    open.view.complete();
    this.stretches.commit(open.view.root);
    // Nothing in code refers to anything.
    this.parts.push({ start, end: start, node: open.view.root });
    this.fence = undefined;
    return true;
  }

  /** Gives whether the text ends in a fence, which is to be fed with the rest. */
  private drawTail(): boolean {
    const source = this.tableHead + this.text.slice(this.done);
    const tail = tailOf(source, lexBlocks(source));
    const open = openFence(tail);
    const whole = this.isFinal && !open ? tail.tokens.length : tail.whole;
    const first = tail.tokens.slice(0, whole);
    const isAll = this.isFinal || open !== undefined;
    const rest = isAll ? [] : shownTokens(source.slice(tail.starts[whole]), tail.tokens.slice(whole));
    syncBlocks(undefined, this.live, [...first, ...rest]);
    this.stretches.place(this.live.map(({ block }) => block.node));
    if (whole > 0) this.commit(tail, first);
    if (open) this.begin(open);
    else if (!this.isFinal) this.release(tail);
    if (!this.isFinal && !open) this.itemFence = this.fenceInItem(tail);
    return open !== undefined;
  }

  /** The code that the last item of a list ends in. */
  private fenceInItem({ tokens, last }: Tail): ItemFence | undefined {
    const list = tokens[last];
    const block = this.live.at(-1)?.block;
    if (list?.type !== "list" || !(block instanceof ListBlock)) return undefined;
    const place = openFenceIn(list as Tokens.List);
    const code = place && block.lastCode;
    return code && ItemFence.at(this.text, code, place);
  }

  private commit(tail: Tail, tokens: Token[]): void {
    const offset = this.done - this.tableHead.length;
    for (const [at, token] of tokens.entries()) {
      if (token.type === "def" && !this.definitions.has(token.tag))
        this.definitions.set(token.tag, token.href);
      if (!isDrawn(token)) continue;
      const block = this.live.shift()?.block;
      if (!block) continue;
      block.complete();
      this.stretches.commit(block.node);
      const start = this.begun ?? offset + (tail.starts[at] ?? 0);
      this.begun = undefined;
      this.parts.push({ start, end: offset + (tail.starts[at + 1] ?? 0), node: block.node });
    }
    this.done = offset + (tail.starts[tokens.length] ?? 0);
    this.tableHead = "";
  }

  private begin(open: OpenFence): void {
    this.fence = { open, start: this.done };
    this.done += open.opening.length;
    this.stretches.place([open.view.root]);
  }

  /** Lets go of the items or rows of the last block that are whole. */
  private release(tail: Tail): void {
    const token = tail.tokens[tail.last];
    const [drawn, ...others] = this.live;
    if (!drawn || others.length > 0 || tail.whole !== tail.last) return;
    const { block } = drawn;
    // What it is drawn from is another text now, and may read as the old one did.
    drawn.source = "";
    if (block instanceof ListBlock && token?.type === "list") this.releaseItems(block, token as Tokens.List);
    if (block instanceof TableBlock && token?.type === "table")
      this.releaseRows(block, token as Tokens.Table);
  }

  private releaseItems(block: ListBlock, list: Tokens.List): void {
    const before = list.items.slice(0, -1);
    const length = before.reduce((sum, item) => sum + item.raw.length, 0);
    // The next item is one only once its first line is whole.
    if (before.length === 0 || this.text.indexOf("\n", this.done + length) < 0) return;
    block.release(before.length);
    this.begun ??= this.done;
    this.done += length;
  }

  private releaseRows(block: TableBlock, table: Tokens.Table): void {
    // A row that is not drawn yet cannot be let go of.
    let count = Math.min(table.rows.length - 1, block.drawnRows);
    const source = (this.tableHead + this.text.slice(this.done)).split("\n", count + 2);
    // A row without a bar stays: by it is decided how a row that follows it is shown while it is written.
    while (count > 0 && !source[count + 1]?.includes("|")) count -= 1;
    if (count < 1) return;
    const lines = source.slice(0, count + 2).map((line) => `${line}\n`);
    const head = lines.slice(0, 2).join("");
    block.release(count);
    this.begun ??= this.done;
    this.done += lines.join("").length - this.tableHead.length;
    this.tableHead = head;
  }

  private complete(): void {
    this.resolveReferences();
    this.stretches.complete();
  }

  /** References can be told from other brackets only when all definitions are known. */
  private resolveReferences(): void {
    if (this.definitions.size === 0) return;
    for (const part of this.parts) {
      const source = this.text.slice(part.start, part.end);
      if (!mentionsAny(source, this.definitions)) continue;
      const drawn: Drawn[] = [];
      const holder = element("div");
      syncBlocks(holder, drawn, lexBlocks(source, this.definitions));
      this.stretches.changes(part.node);
      part.node.replaceWith(...holder.children);
      for (const { block } of drawn) block.complete();
    }
  }
}

/** The fence that the text ends in. It is fed line by line, even if it is closed already. */
function openFence({ source, tokens, starts, last }: Tail): OpenFence | undefined {
  const token = tokens[last];
  if (token?.type !== "code" || token.codeBlockStyle === "indented") return undefined;
  return OpenFence.at(source.slice(starts[last]), token.lang ?? "");
}
