/** The element of one item. It is made once and changed in place for as long as the item is shown. */
import type { ItemId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { byteSize } from "../text/amount-text";
import { visibleLine, visibleText } from "../text/visible-text";
import type { Children } from "../timeline/children";
import { type Family, noFamily } from "../timeline/family";
import type { Item } from "../timeline/timeline";
import type { Body, ItemActions } from "./item-body";
import { ending } from "./item-ending";
import { messageBody } from "./message-body";
import { thinkingBody } from "./thinking-body";
import { toolBody } from "./tool-body";

export type { ItemActions } from "./item-body";

export class ItemView {
  readonly root = element("article", "item");
  private readonly body: Body;
  private readonly end = element("p", "item-ending");
  private readonly endCode = element("code", "item-ending-code");
  private readonly endText = element("span", "item-ending-text");
  private readonly whole: HTMLButtonElement;
  private shown: Item | undefined;
  private children: Children | undefined;

  constructor(item: Item, actions: ItemActions, family: Family = noFamily) {
    this.body = bodyOf(item, actions);
    this.whole = button("", "quiet item-whole", () => actions.showWhole(item.itemId));
    this.end.append(this.endCode, this.endText);
    this.root.dataset.itemId = item.itemId;
    this.root.dataset.type = item.type;
    this.root.append(...this.body.parts, this.whole, this.end);
    this.update(item, family);
  }

  update(item: Item, family: Family = noFamily): void {
    const children = family.get(item.itemId);
    if (item === this.shown && children === this.children) return;
    this.shown = item;
    this.children = children;
    this.root.dataset.status = item.status;
    if (item.type === "message") this.root.dataset.origin = item.origin;
    this.body.update(item, family);
    this.showShortened(item);
    this.showEnding(item);
  }

  /** The element of this item, or of one that stands inside of it. What hides it is opened. */
  reveal(itemId: ItemId): HTMLElement | undefined {
    return itemId === this.shown?.itemId ? this.root : this.body.reveal?.(itemId);
  }

  private showShortened(item: Item): void {
    this.whole.hidden = item.truncated === undefined;
    if (item.truncated) setText(this.whole, `Shortened. Show all ${byteSize(item.truncated.bytes)}`);
  }

  private showEnding(item: Item): void {
    const end = ending(item);
    this.root.dataset.ending = end.kind;
    // A call that was stopped says so in its own line.
    const isSaid = item.type === "tool_call" && end.kind === "stopped";
    this.end.hidden = end.kind === "none" || end.kind === "superseded" || isSaid;
    setText(this.endCode, end.kind === "failed" ? visibleLine(end.code) : "");
    setText(this.endText, end.kind === "none" ? "" : visibleText(end.text));
    if (end.kind === "superseded") this.fold(end.text);
  }

  /** An attempt that was replaced steps back, but what it said stays readable. */
  private fold(reason: string): void {
    if (this.root.querySelector(":scope > .superseded")) return;
    const parts = [...this.root.children];
    this.root.append(
      element("details", "superseded", element("summary", "fold-summary", visibleLine(reason)), ...parts),
    );
  }
}

function bodyOf(item: Item, actions: ItemActions): Body {
  // The kind of an item never changes, so the body that fits its first state fits all of them.
  switch (item.type) {
    case "message":
      return messageBody(item, actions) as Body;
    case "thinking":
      return thinkingBody(item, actions) as Body;
    case "tool_call":
      return toolBody(item, actions) as Body;
  }
}
