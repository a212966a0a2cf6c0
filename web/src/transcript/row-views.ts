/** The elements of rows: made once, changed in place, let go with their row. */
import type { ItemId, TurnId } from "../contract";
import { button, element } from "../dom/dom";
import { GroupView } from "../items/group-view";
import { isHeld } from "../items/held";
import { type ItemActions, ItemView } from "../items/item-view";
import { membersOf } from "../items/nested-rows";
import { FamilyIndex, homeOf } from "../timeline/family";
import { type GroupRow, grouped, mayBeGrouped, type ShownRow } from "../timeline/row-groups";
import type { Item, Timeline } from "../timeline/timeline";
import type { Row } from "../timeline/timeline-rows";
import { TurnView } from "./turn-view";

type TurnRow = { root: HTMLElement; view: TurnView };
export type RowActions = ItemActions & { showTimes(turnId: TurnId): void };

export class RowViews {
  private readonly items = new Map<ItemId, ItemView>();
  private readonly turns = new Map<TurnId, TurnRow>();
  private readonly groups = new Map<ItemId, GroupView>();
  private readonly family = new FamilyIndex();
  private asks = false;

  constructor(
    private readonly actions: RowActions,
    private readonly changed: (row: HTMLElement) => void,
  ) {}

  clear(): void {
    this.items.clear();
    this.turns.clear();
    this.groups.clear();
    this.family.clear();
  }

  ask(asks: boolean): void {
    if (asks === this.asks) return;
    this.asks = asks;
    for (const { view } of this.turns.values()) view.ask(asks);
  }

  /** Draws an item where it stands; true when the rows may be others now. */
  drawItem({ items }: Timeline, changedId: ItemId): boolean {
    this.family.change(items, changedId);
    const itemId = homeOf(items, changedId);
    const item = items.get(itemId);
    const view = this.items.get(itemId);
    // An item never moves: its element only has to be placed once, unless it may become one of a group.
    if (item && view) this.update(view, item);
    if (!item) this.items.delete(itemId);
    return !item || !view || mayBeGrouped(item);
  }

  drawTurn({ turns }: Timeline, turnId: TurnId): void {
    const turn = turns.get(turnId);
    const row = this.turns.get(turnId);
    if (turn && row) {
      this.changed(row.root);
      row.view.update(turn);
    } else if (turn) this.turns.set(turnId, this.turnRow(new TurnView(turn, this.asks), turnId));
    else this.turns.delete(turnId);
  }

  grouped(rows: Row[], timeline: Timeline): ShownRow[] {
    return grouped(rows, timeline, (itemId) => isHeld(this.items.get(itemId)?.root));
  }

  /** The elements of these rows; what has none of them any more is let go. */
  elementsOf(shown: readonly ShownRow[], timeline: Timeline): HTMLElement[] {
    const kept = new Set(shown.filter(({ kind }) => kind === "group").map(({ id }) => id));
    for (const id of this.groups.keys()) if (!kept.has(id)) this.groups.delete(id);
    return shown.map((row) => this.elementOf(row, timeline)).filter((found) => found !== undefined);
  }

  /** The element of an item, also of one inside of another or of a group, which is opened for it. */
  reveal({ items }: Timeline, itemId: ItemId): HTMLElement | undefined {
    const home = this.items.get(homeOf(items, itemId));
    if (home) return home.reveal(itemId);
    for (const group of this.groups.values()) {
      const found = group.reveal(itemId);
      if (found) return found;
    }
    return undefined;
  }

  private update(view: ItemView, item: Item): void {
    this.changed(view.root);
    view.update(item, this.family);
  }

  private elementOf(row: ShownRow, timeline: Timeline): HTMLElement | undefined {
    if (row.kind === "turn") return this.turns.get(row.id)?.root;
    if (row.kind === "group") return this.groupOf(row, timeline).root;
    const item = timeline.items.get(row.id);
    const view = this.items.get(row.id) ?? (item && new ItemView(item, this.actions, this.family));
    if (view) this.items.set(row.id, view);
    return view?.root;
  }

  private groupOf({ id, members }: GroupRow, { items }: Timeline): GroupView {
    for (const member of members) this.items.delete(member);
    const group = this.groups.get(id) ?? new GroupView(this.actions);
    this.groups.set(id, group);
    group.update(membersOf(members, items), this.family);
    return group;
  }

  private turnRow(view: TurnView, turnId: TurnId): TurnRow {
    const times = button("Times", "quiet turn-times-open", () => this.actions.showTimes(turnId));
    times.setAttribute("aria-label", "Show where the time of this turn went");
    return { root: element("div", "turn-row", view.root, times), view };
  }
}
