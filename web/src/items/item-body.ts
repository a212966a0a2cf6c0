/** What the kinds of items have in common for those who draw them. */
import type { ItemId, UpsertObject } from "../contract";
import type { Family } from "../timeline/family";
import type { Item } from "../timeline/timeline";

export type ItemActions = {
  showWhole(itemId: ItemId): void;
  /** Fetches all of an item that was shortened, without showing it. */
  whole(item: Item): Promise<UpsertObject>;
};

export type Body<Kind extends Item = Item> = {
  parts: HTMLElement[];
  /** `family`: the items that stand inside of others. */
  update(item: Kind, family: Family): void;
  /** Opens what hides an item inside of this one, and gives its element. */
  reveal?(itemId: ItemId): HTMLElement | undefined;
};
