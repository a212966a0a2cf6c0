/**
 * Text that arrives as what is new of it, and what to do when it does not fit.
 *
 * An item that is not known, or whose text has another length than the server thinks, is awaited: it has to be fetched.
 * What is told of it meanwhile is kept and applied after it, in the order of seq. Pure.
 */
import type { ItemId, TextDelta } from "../contract";
import type { Item } from "./timeline";

/** The items that have to be fetched, each with the growth that has not found its place. */
export type Awaited = ReadonlyMap<ItemId, readonly TextDelta[]>;

/** The item with its text grown; nothing when the growth does not fit. What is not newer changes nothing. */
export function grown(item: Item, delta: TextDelta): Item | undefined {
  if (delta.seq <= item.seq) return item;
  const text = textOf(item);
  if (text.length !== delta.offset) return undefined;
  return changed(withText(item, text + delta.append), delta);
}

/** Applies kept growth in order as far as it fits, and tells what is left. */
export function grownBy(item: Item, kept: readonly TextDelta[]): { item: Item; left: readonly TextDelta[] } {
  const inOrder = [...kept].sort((a, b) => a.seq - b.seq);
  let now = item;
  for (const [at, delta] of inOrder.entries()) {
    const next = grown(now, delta);
    if (!next) return { item: now, left: inOrder.slice(at) };
    now = next;
  }
  return { item: now, left: [] };
}

function textOf(item: Item): string {
  return item.type === "tool_call" ? (item.toolOutput ?? "") : item.content;
}

function withText(item: Item, text: string): Item {
  return item.type === "tool_call" ? { ...item, toolOutput: text } : { ...item, content: text };
}

/** When an item was made is told only with its end. */
function changed(item: Item, { seq, status, emittedAt }: TextDelta): Item {
  return { ...item, seq, status, emittedAt: emittedAt ?? item.emittedAt };
}
