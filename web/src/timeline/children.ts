/**
 * The items that stand inside of another one, in their order.
 *
 * A change costs the logarithm of how many there are, however many that is: a subagent may take thousands of steps.
 */
import { isAtWork } from "../items/at-work";
import type { Item } from "./timeline";

export class Children {
  private constructor(
    private readonly sorted: Item[],
    /** How many of them are not done. */
    readonly atWork: number,
  ) {}

  static readonly none = new Children([], 0);

  static of(...items: Item[]): Children {
    return items.reduce((known, item) => known.with(item), new Children([], 0));
  }

  get length(): number {
    return this.sorted.length;
  }

  get last(): Item | undefined {
    return this.sorted.at(-1);
  }

  /** All from a place on. */
  from(at: number): readonly Item[] {
    return this.sorted.slice(at);
  }

  /** Where an item stands; -1 if it is none of them. */
  indexOf({ itemId, position }: Pick<Item, "itemId" | "position">): number {
    const at = this.placeOf(position);
    return this.sorted[at]?.itemId === itemId ? at : -1;
  }

  /** The next ones, with an item that is new or different. They take the place of these, which must not be used any more. */
  with(item: Item): Children {
    const at = this.placeOf(item.position);
    const known = this.sorted[at];
    const isKnown = known?.itemId === item.itemId;
    this.sorted.splice(at, isKnown ? 1 : 0, item);
    const before = isKnown && isAtWork(known) ? 1 : 0;
    return new Children(this.sorted, this.atWork - before + (isAtWork(item) ? 1 : 0));
  }

  /** The next ones, without an item, as it was. They take the place of these. */
  without(item: Item): Children {
    const at = this.indexOf(item);
    if (at < 0) return this;
    this.sorted.splice(at, 1);
    return new Children(this.sorted, this.atWork - (isAtWork(item) ? 1 : 0));
  }

  /** The next ones, as they are: something changed further inside. */
  again(): Children {
    return new Children(this.sorted, this.atWork);
  }

  /** The first place that is not before a position. No two items have the same one. */
  private placeOf(position: number): number {
    let [from, to] = [0, this.sorted.length];
    // What is new mostly comes last.
    if ((this.sorted.at(-1)?.position ?? -1) < position) return to;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.sorted[middle]?.position ?? 0) < position) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
