/**
 * Which rows are placed with this frame. Many that come at once, a page of history or a session that was just opened, are placed
 * over several frames, outwards from those that are there, so that the page answers meanwhile. Pure.
 */
import type { ShownRow } from "../timeline/row-groups";

/** So many come first: about a screen of the smallest. */
const FIRST = 24;
/** So many are new at each end with every frame after it. */
const STEP = 16;

export type Stage = { from: number; to: number };

export class StagedRows {
  private placed: ReadonlySet<string> = new Set();

  clear(): void {
    this.placed = new Set();
  }

  /** Where nothing is placed yet it begins at the end, or where the reader is to be led. */
  next(rows: readonly ShownRow[], wanted?: number): Stage {
    const isPlaced = (row: ShownRow) => this.placed.has(keyOf(row));
    const known = [rows.findIndex(isPlaced), rows.findLastIndex(isPlaced), wanted ?? -1];
    const there = known.filter((at) => at >= 0);
    const step = this.placed.size === 0 ? FIRST : STEP;
    if (there.length === 0) there.push(rows.length - 1);
    const stage = {
      from: Math.max(0, Math.min(...there) - step),
      to: Math.min(rows.length, Math.max(...there) + 1 + step),
    };
    this.placed = new Set(rows.slice(stage.from, stage.to).map(keyOf));
    return stage;
  }
}

/** A group is named by one of its items. */
function keyOf({ kind, id }: ShownRow): string {
  return kind === "turn" ? `turn ${id}` : id;
}
