/**
 * Which cards a reader has opened or closed.
 *
 * It outlives the elements: a card that left the page while it was scrolled away comes back as it was left.
 */
import type { Item } from "../timeline/timeline";

type Named = Pick<Item, "sessionId" | "itemId">;

/** Nobody remembers more. */
const MOST = 5_000;

export class OpenState {
  private readonly chosen = new Map<string, boolean>();
  /** Sessions of which all were opened or closed at once. */
  private readonly all = new Map<string, boolean>();

  isOpen(item: Named, byDefault: boolean): boolean {
    return this.choiceOf(item) ?? byDefault;
  }

  choiceOf(item: Named): boolean | undefined {
    return this.chosen.get(keyOf(item)) ?? this.all.get(item.sessionId);
  }

  choose(item: Named, isOpen: boolean): void {
    const key = keyOf(item);
    this.chosen.delete(key);
    this.chosen.set(key, isOpen);
    const [oldest] = this.chosen.keys();
    if (this.chosen.size > MOST && oldest !== undefined) this.chosen.delete(oldest);
  }

  /** From now on all of a session, also those that come. */
  chooseAll(sessionId: string, isOpen: boolean): void {
    for (const key of this.chosen.keys()) if (key.startsWith(`${sessionId} `)) this.chosen.delete(key);
    this.all.set(sessionId, isOpen);
  }
}

function keyOf({ sessionId, itemId }: Named): string {
  return `${sessionId} ${itemId}`;
}

/** Those of this page. Thoughts have their own: to open all tool calls says nothing about them. */
export const openState = new OpenState();
export const openThoughts = new OpenState();
