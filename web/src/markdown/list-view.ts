/** Draws a list. Items that are whole are let go of, so that a long list costs no more than its last item. */
import type { Token, Tokens } from "marked";
import { element } from "../dom/dom";
import { type Block, CodeBlock, type Drawn, syncBlocks } from "./block-view";
import type { CodeChunks } from "./code-chunks";

export class ListBlock implements Block {
  readonly node: HTMLOListElement | HTMLUListElement;
  private readonly items: ItemBlock[] = [];
  private isContinued = false;

  constructor(private readonly token: Tokens.List) {
    this.node = token.ordered ? orderedList(token.start) : element("ul");
    this.update(token);
  }

  update(token: Token): boolean {
    const list = token as Tokens.List;
    // What follows items that were let go of begins with another number.
    if (!this.isContinued && (list.ordered !== this.token.ordered || list.start !== this.token.start))
      return false;
    for (const [at, item] of list.items.entries()) this.drawItem(item, at);
    for (const item of this.items.splice(list.items.length)) item.node.remove();
    return true;
  }

  /** The first items are whole; from now on only those behind them are told. */
  release(count: number): void {
    this.isContinued = true;
    for (const item of this.items.splice(0, count)) item.complete();
  }

  complete(): void {
    for (const item of this.items) item.complete();
  }

  /** The code that it ends in. */
  get lastCode(): CodeChunks | undefined {
    return this.items.at(-1)?.lastCode;
  }

  private drawItem(item: Tokens.ListItem, at: number): void {
    const old = this.items[at];
    if (old?.update(item)) return;
    const made = new ItemBlock(item);
    if (old) old.node.replaceWith(made.node);
    else this.node.append(made.node);
    this.items[at] = made;
  }
}

class ItemBlock {
  readonly node = element("li");
  private readonly drawn: Drawn[] = [];

  constructor(private readonly token: Tokens.ListItem) {
    if (token.task) {
      this.node.className = "todo";
      this.node.append(taskMark(token.checked === true));
    }
    this.update(token);
  }

  update(token: Tokens.ListItem): boolean {
    if (token.task !== this.token.task || token.checked !== this.token.checked) return false;
    syncBlocks(this.node, this.drawn, token.tokens);
    return true;
  }

  complete(): void {
    for (const { block } of this.drawn) block.complete();
  }

  get lastCode(): CodeChunks | undefined {
    const last = this.drawn.at(-1)?.block;
    if (last instanceof ListBlock) return last.lastCode;
    return last instanceof CodeBlock ? last.code : undefined;
  }
}

function orderedList(start: number | ""): HTMLOListElement {
  const made = element("ol");
  if (start !== "" && start !== 1) made.start = start;
  return made;
}

/** Not a control: nobody can tick it here. */
function taskMark(isDone: boolean): HTMLElement {
  const mark = element("span", isDone ? "todo-mark done" : "todo-mark");
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", isDone ? "done" : "to do");
  return mark;
}
