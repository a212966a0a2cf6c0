/** How many of the smallest rows a row is worth, before it is drawn. Pure. */
import type { ItemId } from "../contract";
import type { ShownRow } from "../timeline/row-groups";
import type { Item } from "../timeline/timeline";

/** The room around a message. */
const MESSAGE = 2;
/** Characters of a message that are as high as the smallest row, roughly. */
const LINE = 150;

export function weightOf({ kind, id }: ShownRow, items: Pick<ReadonlyMap<ItemId, Item>, "get">): number {
  const item = kind === "item" ? items.get(id) : undefined;
  return item?.type === "message" ? MESSAGE + item.content.length / LINE : 1;
}
