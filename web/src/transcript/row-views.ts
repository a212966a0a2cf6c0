/** The elements of rows: made once, changed in place, let go with their row. */
import type { ItemId, TurnId } from "../contract";
import { button, element } from "../dom/dom";
import { type ItemActions, ItemView } from "../items/item-view";
import type { Timeline } from "../timeline/timeline";
import { type Row, rowKey } from "../timeline/timeline-rows";
import { TurnView } from "./turn-view";

type TurnRow = { root: HTMLElement; view: TurnView };
export type RowActions = ItemActions & { showTimes(turnId: TurnId): void };

export class RowViews {
  private readonly items = new Map<ItemId, ItemView>();
  private readonly turns = new Map<TurnId, TurnRow>();
  private asks = false;

  constructor(private readonly actions: RowActions) {}

  clear(): void {
    this.items.clear();
    this.turns.clear();
  }

  ask(asks: boolean): void {
    this.asks = asks;
    for (const { view } of this.turns.values()) view.ask(asks);
  }

  /** Draws an item; true when its row is new or gone. An item never moves: its element only has to be placed once. */
  drawItem({ items }: Timeline, itemId: ItemId): boolean {
    const item = items.get(itemId);
    const view = this.items.get(itemId);
    if (item && view) view.update(item);
    else if (item) this.items.set(itemId, new ItemView(item, this.actions));
    else this.items.delete(itemId);
    return !(item && view);
  }

  drawTurn({ turns }: Timeline, turnId: TurnId): void {
    const turn = turns.get(turnId);
    const row = this.turns.get(turnId);
    if (turn && row) row.view.update(turn);
    else if (turn) this.turns.set(turnId, this.turnRow(new TurnView(turn, this.asks), turnId));
    else this.turns.delete(turnId);
  }

  /** The element of a row, marked with what it is. */
  of(row: Row): HTMLElement | undefined {
    const root = row.kind === "item" ? this.items.get(row.id)?.root : this.turns.get(row.id)?.root;
    if (root) root.dataset.row = rowKey(row);
    return root;
  }

  item(itemId: ItemId): HTMLElement | undefined {
    return this.items.get(itemId)?.root;
  }

  private turnRow(view: TurnView, turnId: TurnId): TurnRow {
    const times = button("Times", "quiet turn-times-open", () => this.actions.showTimes(turnId));
    times.setAttribute("aria-label", "Show where the time of this turn went");
    return { root: element("div", "turn-row", view.root, times), view };
  }
}
