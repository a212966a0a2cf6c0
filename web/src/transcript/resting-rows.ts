/** Rows rest while they are out of sight: they are woken by what changes them, by another width, and by a jump that leads to them. */
import { forgetRest, restAnew, wakeAll } from "../dom/resting";
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
    // All are looked for before one is woken: waking changes what has to be laid out.
    for (const row of this.seen()) wakeAll(row);
  }

  private seen(): HTMLElement[] {
    const edge = this.box.getBoundingClientRect();
    const rows = [...this.list.children] as HTMLElement[];
    const from = firstBelow(this.list.children, edge.top);
    const after = rows.findIndex((row, at) => at >= from && row.getBoundingClientRect().top > edge.bottom);
    return rows.slice(from, after < 0 ? undefined : after);
  }

  /** Everything has another height now, which it has to be laid out for. */
  private resized(width: number): void {
    if (width === this.width) return;
    this.width = width;
    this.list.dataset.rest = "none";
    requestAnimationFrame(() => requestAnimationFrame(() => delete this.list.dataset.rest));
  }
}
