/** Draws thinking: folded, with its last line to see that it goes on. The text is built when it is opened. */
import { copyButton } from "../dom/copyable";
import { element, setText } from "../dom/dom";
import { icon } from "../dom/icon";
import { showElapsed, stopElapsed } from "../dom/live-times";
import { copySource } from "../markdown/copy-source";
import { MessageText } from "../markdown/message-text";
import type { Body, ItemActions } from "./item-body";
import { openThoughts } from "./open-state";
import { lastLine, type ThinkingItem, thinkingLabel } from "./thinking-text";
import { wholeText } from "./whole-text";

export function thinkingBody(first: ThinkingItem, actions: ItemActions): Body<ThinkingItem> {
  const view = new ThinkingView(first, actions);
  return { parts: [view.root], update: (item) => view.update(item) };
}

class ThinkingView {
  readonly root = element("details", "fold thinking");
  private readonly label = element("span", "fold-name");
  private readonly time = element("span", "tool-time");
  private readonly preview = element("span", "fold-hint");
  private text: MessageText | undefined;

  constructor(
    private item: ThinkingItem,
    private readonly actions: ItemActions,
  ) {
    const summary = element("summary", "fold-summary", icon("think"), this.label, this.time, this.preview);
    summary.addEventListener("click", () => openThoughts.choose(this.item, !this.root.open));
    this.root.append(summary);
    this.root.addEventListener("toggle", () => this.drawText());
    this.root.open = openThoughts.isOpen(item, false);
  }

  update(item: ThinkingItem): void {
    this.item = item;
    const goesOn = isGoingOn(item);
    this.root.dataset.state = goesOn ? "running" : "done";
    setText(this.label, thinkingLabel(item));
    this.time.hidden = !goesOn;
    if (goesOn) showElapsed(this.time, item.startedAt ?? item.sourceTimestamp);
    else stopElapsed(this.time);
    // The line is in the text below already: as an attribute it is drawn but not a second text of the item.
    this.preview.dataset.preview = lastLine(item.content);
    this.drawText();
  }

  private drawText(): void {
    if (!this.root.open) return;
    this.text ??= this.makeText();
    this.text.update(this.item.content, !isGoingOn(this.item));
  }

  private makeText(): MessageText {
    const text = new MessageText();
    const copied = () => wholeText(this.item, this.actions, ({ content }) => content);
    copySource(text.root, () => this.item.content);
    const actions = element("span", "message-actions", copyButton("Copy as written", copied));
    this.root.append(text.root, actions);
    return text;
  }
}

function isGoingOn({ status }: ThinkingItem): boolean {
  return status === "create" || status === "update";
}
