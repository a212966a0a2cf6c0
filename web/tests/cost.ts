/** Compares what two things cost, on a machine that others use too. */
const ROUNDS = 20;

/**
 * How many times as much the second costs as the first, by the quickest of each: others can only make things slower. It is looked no
 * further once the ratio is at most `enough`; what grows too fast is never so, however often it is tried.
 */
export function costRatio(first: () => number, second: () => number, enough: number): number {
  let [little, much] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    little = Math.min(little, first());
    much = Math.min(much, second());
    // The first rounds pay for code that runs for the first time.
    if (round >= 3 && much / little <= enough) break;
  }
  return much / little;
}
