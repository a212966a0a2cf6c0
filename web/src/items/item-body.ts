/** What the kinds of items have in common for those who draw them. */
import type { Item } from "../timeline/timeline";

export type Body<Kind extends Item = Item> = { parts: HTMLElement[]; update(item: Kind): void };
