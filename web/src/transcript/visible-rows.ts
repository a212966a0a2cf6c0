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

/** More rows than this are not kept. */
export const MOST_ROWS = 400;
/** So many stay on each side of what is seen. */
const AROUND = 150;

/** The rows to keep, first and last; nothing when there are not too many. */
export function keptRows(
  count: number,
  first: number,
  last: number,
): { from: number; to: number } | undefined {
  if (count <= MOST_ROWS) return undefined;
  const from = Math.max(0, first - AROUND);
  const to = Math.min(count - 1, last + AROUND);
  return from === 0 && to === count - 1 ? undefined : { from, to };
}
