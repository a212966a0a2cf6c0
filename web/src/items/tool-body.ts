/**
 * The card of a tool call: one line that says what it does, and what is worth seeing of it without opening it.
 *
 * All the rest is built when the card is opened, and not before.
 */
import type { ItemId } from "../contract";
import { element } from "../dom/dom";
import { Children } from "../timeline/children";
import { type Family, noFamily } from "../timeline/family";
import { withoutExitCode } from "./exit-code";
import type { Body, ItemActions } from "./item-body";
import { nestedState } from "./nested-text";
import { openState } from "./open-state";
import { OutputText } from "./output-text";
import { changesOf } from "./proposed-diff";
import { ToolDetails } from "./tool-details";
import { isSubagent, kindOf } from "./tool-kind";
import { ToolLine } from "./tool-line";
import { firstLines, newestLines, type ToolItem, toolState } from "./tool-text";

export function toolBody(first: ToolItem, actions: ItemActions): Body<ToolItem> {
  const card = new ToolCard(first, actions);
  return {
    parts: [card.root],
    update: (item, family) => card.update(item, family),
    reveal: (itemId) => card.reveal(itemId),
  };
}

class ToolCard {
  readonly root = element("div", "tool");
  private readonly fold = element("details", "tool-fold");
  private readonly line = new ToolLine();
  private readonly live = element("pre", "tool-live");
  private readonly error = element("pre", "tool-error");
  private details: ToolDetails | undefined;
  /** Opened once by itself; a reader who closes it is not contradicted. */
  private isOpened = false;

  constructor(
    private item: ToolItem,
    private readonly actions: ItemActions,
    private family: Family = noFamily,
  ) {
    this.live.setAttribute("aria-label", "Newest lines");
    this.error.setAttribute("aria-label", "What went wrong");
    this.fold.append(this.line.root);
    this.fold.addEventListener("toggle", () => this.build());
    this.line.root.addEventListener("click", () => openState.choose(this.item, !this.fold.open));
    this.root.append(this.fold, this.live, this.error);
    this.fold.open = openState.choiceOf(item) ?? false;
  }

  update(item: ToolItem, family: Family): void {
    this.item = item;
    this.family = family;
    const children = family.get(item.itemId) ?? Children.none;
    const state = nestedState(toolState(item), children);
    this.root.dataset.kind = kindOf(item);
    this.root.dataset.state = state;
    this.line.update(item, state, children);
    this.openByItself(state === "running" && (isSubagent(item) || children.length > 0));
    if (this.fold.open) this.build();
    this.drawLive(state === "running" ? newest(item, family) : "");
    this.drawError(state === "failed" ? (item.toolOutput ?? "") : "");
  }

  reveal(itemId: ItemId): HTMLElement | undefined {
    if (this.family.get(this.item.itemId) === undefined) return undefined;
    this.fold.open = true;
    this.build();
    return this.details?.reveal(itemId);
  }

  /** What is to be seen before it is allowed, and work that goes on inside. */
  private openByItself(isAtWork: boolean): void {
    if (this.isOpened || (!isAtWork && !changesOf(this.item))) return;
    this.isOpened = true;
    if (openState.choiceOf(this.item) === undefined) this.fold.open = true;
  }

  private build(): void {
    if (!this.fold.open) return;
    if (!this.details) {
      this.details = new ToolDetails(this.item, this.actions);
      this.fold.append(this.details.root);
    }
    this.details.update(this.item, this.family);
  }

  private drawLive(text: string): void {
    this.live.hidden = text === "";
    drawOutput(this.live, text);
  }

  private drawError(output: string): void {
    // The exit code stands in the line above already.
    const { text, isAll } = firstLines(withoutExitCode(output));
    this.error.hidden = text === "";
    drawOutput(this.error, text + (isAll ? "" : "\n…"));
  }
}

function newest(item: ToolItem, family: Family): string {
  return family.get(item.itemId) ? "" : newestLines(item.toolOutput ?? "");
}

/** A few lines: cheap enough to be drawn anew. */
function drawOutput(target: HTMLElement, text: string): void {
  if (target.dataset.shown === text) return;
  target.dataset.shown = text;
  const shown = new OutputText();
  shown.append(text);
  target.replaceChildren(shown.root);
}
