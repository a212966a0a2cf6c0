/** Text of an item to be copied: what is shown may be shortened, what is copied never is. */
import type { Item } from "../timeline/timeline";
import type { ItemActions } from "./item-body";

export function wholeText<Kind extends Item>(
  item: Kind,
  { whole }: ItemActions,
  textOf: (item: Kind) => string,
): string | Promise<string> {
  if (item.truncated === undefined) return textOf(item);
  // The kind of an item never changes.
  return whole(item).then((fetched) => textOf(fetched as Kind));
}
