/** Two texts as lines that go, come and stay. Pure. */

/** Above this the smallest difference is not looked for: all that goes, then all that comes. */
const MOST_LINES = 600;

/** Lines with their signs: the fewest that go and come, where that is cheap to find. */
export function lineDiff(old: readonly string[], fresh: readonly string[]): string[] {
  const most = Math.min(old.length, fresh.length);
  let first = 0;
  while (first < most && old[first] === fresh[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === fresh.at(-1 - last)) last += 1;
  return [
    ...signed(" ", old.slice(0, first)),
    ...middle(old.slice(first, old.length - last), fresh.slice(first, fresh.length - last)),
    ...signed(" ", old.slice(old.length - last)),
  ];
}

/** What differs, between what both begin and end with. */
function middle(old: readonly string[], fresh: readonly string[]): string[] {
  if (old.length + fresh.length > MOST_LINES) return [...signed("-", old), ...signed("+", fresh)];
  const common = commonLengths(old, fresh);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push(` ${old[i]}`);
      i += 1;
      j += 1;
    } else if (i < old.length && (j === fresh.length || at(common, i + 1, j) >= at(common, i, j + 1))) {
      lines.push(`-${old[i]}`);
      i += 1;
    } else {
      lines.push(`+${fresh[j]}`);
      j += 1;
    }
  }
  return lines;
}

/** Of each pair of ends, how many lines they have in common. */
function commonLengths(old: readonly string[], fresh: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = table[i] as number[];
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      row[j] =
        old[i] === fresh[j]
          ? at(table, i + 1, j + 1) + 1
          : Math.max(at(table, i + 1, j), at(table, i, j + 1));
    }
  }
  return table;
}

function at(table: number[][], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

function signed(sign: string, lines: readonly string[]): string[] {
  return lines.map((line) => sign + line);
}
