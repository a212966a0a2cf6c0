/** Which rows are seen, and which are so far away that they can be let go. */

/** The first row that ends below a line: rows stand one below the other, so halving finds it. */
export function firstBelow(rows: ArrayLike<Element>, line: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const { bottom } = (rows[middle] as Element).getBoundingClientRect();
    if (bottom > line) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** More rows than `most` are not kept; then so many stay on each side of what is seen. */
export type Keeping = { most: number; around: number };
export const READING: Keeping = { most: 400, around: 150 };
/** Whoever follows the end sees new rows all the time, and each costs the browser the more the more there are. */
export const FOLLOWING: Keeping = { most: 200, around: 100 };

/** The rows to keep, first and last; nothing when there are not too many. */
export function keptRows(
  count: number,
  first: number,
  last: number,
  { most, around } = READING,
): { from: number; to: number } | undefined {
  if (count <= most) return undefined;
  const from = Math.max(0, first - around);
  const to = Math.min(count - 1, last + around);
  return from === 0 && to === count - 1 ? undefined : { from, to };
}

/** The same for whoever follows the end, before it is known what is seen. */
export function newestRows(count: number): { from: number; to: number } | undefined {
  return count <= FOLLOWING.most ? undefined : { from: count - FOLLOWING.most, to: count - 1 };
}
