/** Rows rest while they are out of sight: they are woken by what changes them, by another width, and by a jump that leads to them. */
import { forgetRest, restAnew, restingParts, wake } from "../dom/resting";
import { firstBelow } from "./visible-rows";

export class RestingRows {
  private watched = new Set<HTMLElement>();
  private width = 0;

  constructor(
    private readonly box: HTMLElement,
    private readonly list: HTMLElement,
  ) {
    new ResizeObserver(([list]) => this.resized(list?.contentRect.width ?? 0)).observe(list);
  }

  /** These are the rows now. */
  watch(rows: readonly HTMLElement[]): void {
    const wanted = new Set(rows);
    for (const row of this.watched) if (!wanted.has(row)) forgetRest(row);
    for (const row of wanted) if (!this.watched.has(row)) restAnew(row);
    this.watched = wanted;
  }

  /** What is in the row has changed. */
  wake(row: HTMLElement): void {
    if (this.watched.has(row)) restAnew(row);
  }

  /** The reader was led elsewhere: what is there is to be seen with the same frame. */
  wakeSeen(): void {
    const edge = this.box.getBoundingClientRect();
    // All are looked for before one is woken: waking changes what has to be laid out.
    const rows = inSight([...this.list.children] as HTMLElement[], edge);
    const parts = rows.flatMap((row) => inSight(restingParts(row), edge));
    for (const seen of [...rows, ...parts]) wake(seen);
  }

  /** Everything has another height now, which it has to be laid out for. */
  private resized(width: number): void {
    if (width === this.width) return;
    this.width = width;
    this.list.dataset.rest = "none";
    requestAnimationFrame(() => requestAnimationFrame(() => delete this.list.dataset.rest));
  }
}

/** Those of them, one below the other, that are between the edges. */
function inSight(elements: HTMLElement[], { top, bottom }: DOMRect): HTMLElement[] {
  const from = firstBelow(elements, top);
  const after = elements.findIndex((one, at) => at >= from && one.getBoundingClientRect().top > bottom);
  return elements.slice(from, after < 0 ? undefined : after);
}
