/** The element of one item. It is made once and changed in place for as long as the item is shown. */
import type { ItemId } from "../contract";
import { button, element, setText } from "../dom/dom";
import type { Item } from "../timeline/timeline";
import type { Body } from "./item-body";
import { ending } from "./item-ending";
import { messageBody } from "./message-body";
import { thinkingBody } from "./thinking-body";
import { toolBody } from "./tool-body";

export type ItemActions = { showWhole(itemId: ItemId): void };

export class ItemView {
  readonly root = element("article", "item");
  private readonly body: Body;
  private readonly end = element("p", "item-ending");
  private readonly endCode = element("code", "item-ending-code");
  private readonly endText = element("span", "item-ending-text");
  private readonly whole: HTMLButtonElement;

  constructor(item: Item, actions: ItemActions) {
    this.body = bodyOf(item);
    this.whole = button("", "quiet item-whole", () => actions.showWhole(item.itemId));
    this.end.append(this.endCode, this.endText);
    this.root.dataset.itemId = item.itemId;
    this.root.dataset.type = item.type;
    this.root.append(...this.body.parts, this.whole, this.end);
    this.update(item);
  }

  update(item: Item): void {
    this.root.dataset.status = item.status;
    this.root.dataset.nested = String(item.parentItemId !== undefined);
    if (item.type === "message") this.root.dataset.origin = item.origin;
    this.body.update(item);
    this.showShortened(item);
    this.showEnding(item);
  }

  private showShortened(item: Item): void {
    this.whole.hidden = item.truncated === undefined;
    if (item.truncated) setText(this.whole, `Shortened. Show all ${kilobytes(item.truncated.bytes)}`);
  }

  private showEnding(item: Item): void {
    const end = ending(item);
    this.root.dataset.ending = end.kind;
    this.end.hidden = end.kind === "none" || end.kind === "superseded";
    setText(this.endCode, end.kind === "failed" ? end.code : "");
    setText(this.endText, end.kind === "none" ? "" : end.text);
    if (end.kind === "superseded") this.fold(end.text);
  }

  /** An attempt that was replaced steps back, but what it said stays readable. */
  private fold(reason: string): void {
    if (this.root.querySelector(":scope > .superseded")) return;
    const parts = [...this.root.children];
    this.root.append(element("details", "superseded", element("summary", "fold-summary", reason), ...parts));
  }
}

function bodyOf(item: Item): Body {
  // The kind of an item never changes, so the body that fits its first state fits all of them.
  switch (item.type) {
    case "message":
      return messageBody(item) as Body;
    case "thinking":
      return thinkingBody() as Body;
    case "tool_call":
      return toolBody() as Body;
  }
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024).toLocaleString("en")} KB`;
}
