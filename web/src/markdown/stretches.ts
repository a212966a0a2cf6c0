/**
 * The blocks of a message in stretches of some screens each, so that what is out of sight of a long one can rest while it grows.
 *
 * Where a stretch ends depends on its blocks alone, not on how they came.
 */
import { element } from "../dom/dom";
import { restAnew } from "../dom/resting";

const BLOCKS = 24;

type Place = { stretch: HTMLElement; count: number; last: Element | undefined };

export class Stretches {
  /** Where the next block is placed that is final. */
  private end: Place | undefined;

  constructor(private readonly root: HTMLElement) {}

  clear(): void {
    this.root.replaceChildren();
    this.end = undefined;
  }

  /** Places the blocks that may still change, behind those that are final. */
  place(live: readonly Element[]): void {
    let end = this.end;
    for (const block of live) end = this.placed(block, end);
    while (this.next(end?.stretch)) this.next(end?.stretch)?.remove();
  }

  /** The block is final; it was placed last, or is the first of those that were. */
  commit(block: Element): void {
    const before = this.end?.stretch;
    this.end = this.placed(block, this.end);
    if (before && before !== this.end.stretch) restAnew(before);
  }

  /** A block that was final is about to become another one. */
  changes(block: Element): void {
    const stretch = block.parentElement;
    if (stretch?.dataset.rests) restAnew(stretch);
  }

  /** Nothing will come: also the last one rests, where it is not all there is. */
  complete(): void {
    if (this.end && this.root.childElementCount > 1) restAnew(this.end.stretch);
  }

  private placed(block: Element, end: Place | undefined): Place {
    const isNext = end === undefined || (end.count >= BLOCKS && isOrdinary(end.last) && isOrdinary(block));
    const stretch = isNext ? this.after(end?.stretch) : end.stretch;
    if (block.parentElement !== stretch) stretch.append(block);
    return { stretch, count: isNext ? 1 : end.count + 1, last: block };
  }

  private after(before: HTMLElement | undefined): HTMLElement {
    const there = this.next(before);
    if (there) return there as HTMLElement;
    const stretch = element("div", "stretch");
    this.root.append(stretch);
    return stretch;
  }

  private next(before: HTMLElement | undefined): Element | null {
    return before ? before.nextElementSibling : this.root.firstElementChild;
  }
}

/** Between these there is as much room as between stretches. */
function isOrdinary(block: Element | undefined): boolean {
  return block !== undefined && !/^H[R\d]$/.test(block.tagName);
}
