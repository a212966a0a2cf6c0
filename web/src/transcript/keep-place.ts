/**
 * Keeps what is being read where it is while the rows around it change.
 *
 * Not left to the browser: not every one of them does it, and none does it for rows that are taken away.
 */
import { firstBelow } from "./visible-rows";

type Mark = { row: Element; top: number };

/** Less than this is the rounding of the browser, and would add up if it were followed. */
const ROUNDING = 0.5;

export class KeepPlace {
  /** The rows that were seen last; the first that is still there counts. */
  private marks: Mark[] = [];
  private ownTop: number | undefined;

  constructor(
    private readonly box: HTMLElement,
    private readonly list: HTMLElement,
  ) {}

  /** The reader has moved: remembers what is seen now. */
  record(): void {
    if (this.box.clientHeight === 0 || this.box.scrollTop === this.ownTop) return;
    this.ownTop = undefined;
    const edge = this.box.getBoundingClientRect();
    const rows = this.list.children;
    this.marks = [];
    for (let at = firstBelow(rows, edge.top); at < rows.length; at += 1) {
      const row = rows[at] as Element;
      const { top } = row.getBoundingClientRect();
      if (top > edge.bottom) break;
      this.marks.push({ row, top: top - edge.top });
    }
  }

  /** Forgets that the last movement was its own. */
  recordAnew(): void {
    this.ownTop = undefined;
    this.record();
  }

  /** The rows have changed: moves them back to where they were. */
  restore(): void {
    if (this.box.clientHeight === 0) return;
    const mark = this.marks.find(({ row }) => row.parentElement === this.list);
    if (!mark) return this.recordAnew();
    const now = mark.row.getBoundingClientRect().top - this.box.getBoundingClientRect().top;
    if (Math.abs(now - mark.top) >= ROUNDING) this.box.scrollTop += now - mark.top;
    this.ownTop = this.box.scrollTop;
  }

  /** The first row that is seen. */
  get first(): Element | undefined {
    return this.marks.find(({ row }) => row.parentElement === this.list)?.row;
  }
}
