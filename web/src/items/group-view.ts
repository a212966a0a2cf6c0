/** Several quiet calls in one line. The calls themselves are built when it is opened. */
import type { ItemId } from "../contract";
import { arrange, element, setText } from "../dom/dom";
import { drawIcon, icon } from "../dom/icon";
import { duration } from "../text/time-text";
import { visibleLine } from "../text/visible-text";
import { type Family, noFamily } from "../timeline/family";
import type { Item } from "../timeline/timeline";
import { groupWords } from "./group-words";
import type { ItemActions } from "./item-body";
import { ItemView } from "./item-view";
import { kindOf } from "./tool-kind";
import type { ToolItem } from "./tool-text";

/** Groups are remembered by their last call, beside what is remembered of the call itself. */
const opened = new Set<string>();

export class GroupView {
  readonly root = element("div", "tool-group");
  private readonly fold = element("details", "tool-fold");
  private readonly icon = icon("read");
  private readonly title = element("span", "tool-verb");
  private readonly names = element("span", "tool-object is-code");
  private readonly time = element("span", "tool-state");
  private readonly list = element("div", "group-members");
  private readonly views = new Map<ItemId, ItemView>();
  private items: readonly ToolItem[] = [];
  private family: Family = noFamily;

  constructor(private readonly actions: ItemActions) {
    const words = element("span", "tool-words", this.title, " ", this.names);
    const line = element("summary", "fold-summary tool-line", this.icon, words, this.time);
    line.addEventListener("click", () => this.remember(!this.fold.open));
    this.fold.addEventListener("toggle", () => this.drawMembers());
    this.fold.append(line, this.list);
    this.root.append(this.fold);
    this.root.dataset.state = "done";
  }

  update(items: readonly Item[], family: Family): void {
    this.items = items.filter((item) => item.type === "tool_call");
    this.family = family;
    const [first, last] = [this.items[0], this.items.at(-1)];
    if (!first || !last) return;
    if (this.root.dataset.group === undefined) this.fold.open = opened.has(keyOf(last));
    this.root.dataset.group = last.itemId;
    const { title, names } = groupWords(this.items);
    drawIcon(this.icon, kindOf(first));
    setText(this.title, title);
    setText(this.names, visibleLine(names));
    setText(this.time, duration(first.startedAt, last.emittedAt) ?? "");
    this.drawMembers();
  }

  reveal(itemId: ItemId): HTMLElement | undefined {
    if (!this.items.some((item) => item.itemId === itemId)) return undefined;
    this.remember(true);
    this.fold.open = true;
    this.drawMembers();
    return this.views.get(itemId)?.root;
  }

  private remember(isOpen: boolean): void {
    const last = this.items.at(-1);
    if (!last) return;
    if (isOpen) opened.add(keyOf(last));
    else opened.delete(keyOf(last));
  }

  private drawMembers(): void {
    if (!this.fold.open) return;
    arrange(
      this.list,
      this.items.map((item) => this.viewOf(item).root),
    );
  }

  private viewOf(item: ToolItem): ItemView {
    const known = this.views.get(item.itemId);
    if (known) known.update(item, this.family);
    const view = known ?? new ItemView(item, this.actions, this.family);
    this.views.set(item.itemId, view);
    return view;
  }
}

function keyOf({ sessionId, itemId }: ToolItem): string {
  return `${sessionId} ${itemId}`;
}
