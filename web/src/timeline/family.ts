/** Which items are the work of a subagent, and of whose. */
import type { ItemId } from "../contract";
import { Children } from "./children";
import type { Item } from "./timeline";

export type Family = {
  /** The items that stand inside of another one. Another object whenever one of them has changed, or what is inside of it. */
  get(itemId: ItemId): Children | undefined;
  /** The one of them that has an item inside, or is it. */
  childWith(parentId: ItemId, itemId: ItemId): Item | undefined;
};

type Items = Pick<ReadonlyMap<ItemId, Item>, "get">;

/** What is nested deeper, or in a circle, stands by itself. */
const MOST_LEVELS = 8;

export const noFamily: Family = { get: () => undefined, childWith: () => undefined };

/** Follows a timeline item by item: what changes costs little, however many its siblings are. */
export class FamilyIndex implements Family {
  private readonly children = new Map<ItemId, Children>();
  /** Those that stand inside of another one, as they were known last. */
  private readonly nested = new Map<ItemId, Item>();

  get(itemId: ItemId): Children | undefined {
    return this.children.get(itemId);
  }

  childWith(parentId: ItemId, itemId: ItemId): Item | undefined {
    let item = this.nested.get(itemId);
    for (let level = 0; item && level < MOST_LEVELS; level += 1) {
      if (item.parentItemId === parentId) return item;
      item = this.nested.get(item.parentItemId ?? "");
    }
    return undefined;
  }

  /** An item is new, different or gone. */
  change(items: Items, itemId: ItemId): void {
    const item = items.get(itemId);
    const known = this.nested.get(itemId);
    if (known && known.parentItemId !== item?.parentItemId) this.takeOut(known);
    if (item?.parentItemId !== undefined) this.put(item, item.parentItemId);
    this.changedInside((item ?? known)?.parentItemId);
  }

  clear(): void {
    this.children.clear();
    this.nested.clear();
  }

  private put(item: Item, parentId: ItemId): void {
    this.nested.set(item.itemId, item);
    this.children.set(parentId, (this.children.get(parentId) ?? Children.of()).with(item));
  }

  private takeOut(known: Item): void {
    const parentId = known.parentItemId ?? "";
    this.nested.delete(known.itemId);
    const left = this.children.get(parentId)?.without(known);
    if (left && left.length > 0) this.children.set(parentId, left);
    else this.children.delete(parentId);
  }

  /** Whatever has it inside is drawn anew, too. */
  private changedInside(parentId: ItemId | undefined): void {
    let parent = parentId === undefined ? undefined : this.nested.get(parentId);
    for (let level = 0; parent && level < MOST_LEVELS; level += 1) {
      const { parentItemId = "" } = parent;
      const around = this.children.get(parentItemId);
      if (around) this.children.set(parentItemId, around.again());
      parent = this.nested.get(parentItemId);
    }
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
