/** The steps of a subagent inside of the card of the call that runs it: the last of them, and the earlier ones when they are asked for. */
import type { ItemId } from "../contract";
import { arrange, button, element, setText } from "../dom/dom";
import { Children } from "../timeline/children";
import { type Family, noFamily } from "../timeline/family";
import { grouped, type ShownRow } from "../timeline/row-groups";
import type { Item } from "../timeline/timeline";
import type { Row } from "../timeline/timeline-rows";
import { GroupView } from "./group-view";
import { isBeingRead, isHeld } from "./held";
import type { ItemActions } from "./item-body";
import { ItemView } from "./item-view";
import { toolState } from "./tool-text";

/** So many are shown by themselves, and so many more each time that earlier ones are asked for. */
const STEPS = 50;
/** So many more come before the first ones are let go, so that this is not done for each. */
const SLACK = 25;

export class NestedRows {
  readonly root = element("div", "nested");
  private readonly earlier = button("", "quiet nested-earlier", () => this.showEarlier());
  private parent: Item | undefined;
  private family: Family = noFamily;
  /** How many are not shown. */
  private hidden = 0;
  private views = new Map<ItemId, ItemView>();
  private groups = new Map<ItemId, GroupView>();

  constructor(private readonly actions: ItemActions) {
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "Steps of the sub-agent");
  }

  update(parent: Item, family: Family): void {
    this.parent = parent;
    this.family = family;
    this.letGo(family.get(parent.itemId)?.length ?? 0);
    this.draw(parent);
  }

  private draw(parent: Item): void {
    const { family } = this;
    const children = (family.get(parent.itemId) ?? Children.none).from(this.hidden);
    this.root.hidden = children.length === 0;
    const items = new Map(children.map((item) => [item.itemId, item]));
    const isOver = parent.type === "tool_call" && toolState(parent) !== "running";
    const shown = rowsOf(children, items, isOver, (itemId) => isHeld(this.views.get(itemId)?.root));
    const elements = shown.map((row) => this.drawRow(row, items, family));
    const kept = new Set(shown.map(({ id }) => id));
    for (const known of [this.views, this.groups])
      for (const id of known.keys()) if (!kept.has(id)) known.delete(id);
    setText(this.earlier, `${this.hidden.toLocaleString("en")} earlier`);
    arrange(this.root, this.hidden > 0 ? [this.earlier, ...elements] : elements);
  }

  /** Lets go of the first ones when there are many more, unless someone reads here: what is read must not move. */
  private letGo(count: number): void {
    const isMany = count - this.hidden > STEPS + SLACK;
    const isFirst = this.root.childElementCount === 0;
    if (isMany && (isFirst || !isBeingRead(this.root))) this.hidden = count - STEPS;
    this.hidden = Math.min(this.hidden, count);
  }

  private showEarlier(): void {
    this.showFrom(this.hidden - STEPS);
  }

  private showFrom(at: number): void {
    this.hidden = Math.max(0, at);
    if (this.parent) this.draw(this.parent);
  }

  reveal(itemId: ItemId): HTMLElement | undefined {
    const child = this.parent && this.family.childWith(this.parent.itemId, itemId);
    const at = (child && this.family.get(this.parent?.itemId ?? "")?.indexOf(child)) ?? -1;
    if (at >= 0 && at < this.hidden) this.showFrom(at);
    for (const view of [...this.views.values(), ...this.groups.values()]) {
      const found = view.reveal(itemId);
      if (found) return found;
    }
    return undefined;
  }

  private drawRow(row: ShownRow, items: Map<ItemId, Item>, family: Family): HTMLElement {
    if (row.kind === "group") {
      this.views.delete(row.id);
      const group = this.groups.get(row.id) ?? new GroupView(this.actions);
      this.groups.set(row.id, group);
      group.update(membersOf(row.members, items), family);
      return group.root;
    }
    this.groups.delete(row.id);
    const item = items.get(row.id);
    const known = this.views.get(row.id);
    if (!item) return this.root;
    if (known) known.update(item, family);
    const view = known ?? new ItemView(item, this.actions, family);
    this.views.set(row.id, view);
    return view.root;
  }
}

export function membersOf(ids: readonly ItemId[], items: Pick<ReadonlyMap<ItemId, Item>, "get">): Item[] {
  return ids.map((id) => items.get(id)).filter((item) => item !== undefined);
}

/** `isOver`: nothing follows any more, which ends the last run too. */
function rowsOf(
  children: readonly Item[],
  items: Map<ItemId, Item>,
  isOver: boolean,
  held: (itemId: ItemId) => boolean,
): ShownRow[] {
  const rows = children.map((item): Row => ({ kind: "item", id: item.itemId, at: item.position }));
  const end: Row = { kind: "turn", id: "", at: Number.POSITIVE_INFINITY };
  const turns = new Map([["", { turnId: "", ...(isOver && { ended: OVER }) }]]);
  return grouped([...rows, end], { items, turns }, held).filter((row) => row.kind !== "turn");
}

const OVER = { type: "turn_complete", status: "completed", turnId: "", sessionId: "" } as const;
