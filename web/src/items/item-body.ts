/** What the kinds of items have in common for those who draw them. */
import type { ItemId } from "../contract";
import type { Family } from "../timeline/family";
import type { Item } from "../timeline/timeline";

export type ItemActions = { showWhole(itemId: ItemId): void };

export type Body<Kind extends Item = Item> = {
  parts: HTMLElement[];
  /** `family`: the items that stand inside of others. */
  update(item: Kind, family: Family): void;
  /** Opens what hides an item inside of this one, and gives its element. */
  reveal?(itemId: ItemId): HTMLElement | undefined;
};
