/** Which items are the work of a subagent, and of whose. */
import type { ItemId } from "../contract";
import type { Item } from "./timeline";

/** The items that stand inside of another one, in their order. Another array whenever one of them has changed. */
export type Family = { get(itemId: ItemId): readonly Item[] | undefined };

type Items = Pick<ReadonlyMap<ItemId, Item>, "get">;

/** What is nested deeper, or in a circle, stands by itself. */
const MOST_LEVELS = 8;

export const noFamily: Family = new Map();

/** Follows a timeline item by item: what changes costs no more than its siblings. */
export class FamilyIndex implements Family {
  private readonly children = new Map<ItemId, readonly Item[]>();
  private readonly parents = new Map<ItemId, ItemId>();

  get(itemId: ItemId): readonly Item[] | undefined {
    return this.children.get(itemId);
  }

  /** An item is new, different or gone. */
  change(items: Items, itemId: ItemId): void {
    const item = items.get(itemId);
    const parent = item?.parentItemId ?? this.parents.get(itemId);
    if (parent === undefined) return;
    const others = (this.children.get(parent) ?? []).filter((child) => child.itemId !== itemId);
    const now = item ? [...others, item].sort((a, b) => a.position - b.position) : others;
    if (item) this.parents.set(itemId, parent);
    else this.parents.delete(itemId);
    if (now.length > 0) this.children.set(parent, now);
    else this.children.delete(parent);
  }

  clear(): void {
    this.children.clear();
    this.parents.clear();
  }
}

/** The item in whose card this one is shown: itself, if in nobody's. */
export function homeOf(items: Items, itemId: ItemId): ItemId {
  let home = itemId;
  for (let level = 0; level < MOST_LEVELS; level += 1) {
    const parent = parentOf(items, items.get(home));
    if (parent === undefined) return home;
    home = parent;
  }
  return itemId;
}

/** Only a call has room for others; the parent of an older page may not be there. */
function parentOf(items: Items, item: Item | undefined): ItemId | undefined {
  const { parentItemId } = item ?? {};
  if (parentItemId === undefined || parentItemId === item?.itemId) return undefined;
  return items.get(parentItemId)?.type === "tool_call" ? parentItemId : undefined;
}
