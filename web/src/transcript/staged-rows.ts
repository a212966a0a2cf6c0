/**
 * Which rows are placed with this frame. Many that come at once, a page of history or a session that was just opened, are placed
 * over several frames, outwards from those that are there, so that the page answers meanwhile. Pure.
 */
import type { ShownRow } from "../timeline/row-groups";

/** About as high as the smallest rows, in pixels. */
const SMALLEST = 30;
/** So much is new at each end with every frame after the first, in the smallest rows. */
const STEP = 16;

export type Stage = { from: number; to: number };

/** How many of the smallest rows a row is worth, in height and in the work that it makes. */
export type Weight = (row: ShownRow) => number;

/** Where the reader is to be led, and whether the end is followed. */
export type Reader = { wanted?: number | undefined; follows?: boolean };

export class StagedRows {
  private placed: ReadonlySet<string> = new Set();

  constructor(private readonly weightOf: Weight = () => 1) {}

  clear(): void {
    this.placed = new Set();
  }

  /**
   * Where nothing is placed yet it begins at the end, or where the reader is to be led, with as much as fills a screen of so many
   * pixels. It begins anew at the end for a reader who follows that, when more is new there than fits into a step: what lies
   * between would only pass by.
   */
  next(rows: readonly ShownRow[], height: number, { wanted = -1, follows = false }: Reader = {}): Stage {
    if (rows.length === 0) return { from: 0, to: 0 };
    const isPlaced = (row: ShownRow) => this.placed.has(keyOf(row));
    const [first, last] = [rows.findIndex(isPlaced), rows.findLastIndex(isPlaced)];
    const isLeftBehind = follows && last >= 0 && this.reach(rows, last, 1, STEP) < rows.length - 1;
    const there = (isLeftBehind ? [wanted] : [first, last, wanted]).filter((at) => at >= 0);
    const room = last < 0 || isLeftBehind ? height / SMALLEST : STEP;
    if (there.length === 0) there.push(rows.length - 1);
    const stage = {
      from: this.reach(rows, Math.min(...there), -1, room),
      to: this.reach(rows, Math.max(...there), 1, room) + 1,
    };
    this.placed = new Set(rows.slice(stage.from, stage.to).map(keyOf));
    return stage;
  }

  /** The last of the rows from `at` on in one direction that there is room for, and one of them in any case. */
  private reach(rows: readonly ShownRow[], at: number, by: 1 | -1, room: number): number {
    let [reached, left] = [at, room];
    for (let next = rows[reached + by]; next && left > 0; next = rows[reached + by]) {
      left -= this.weightOf(next);
      reached += by;
    }
    return reached;
  }
}

/** A group is named by one of its items. */
function keyOf({ kind, id }: ShownRow): string {
  return kind === "turn" ? `turn ${id}` : id;
}
