/** When to try again after a lost connection. */
const FIRST_MS = 500;
const CAP_MS = 5_000;
/** So much of the wait is chance, in both directions: many pages do not come back at the same moment. */
const CHANCE = 0.2;

/** The wait before a retry, counted from 0: half a second, doubled each time, at most five seconds, give or take (`random` in 0..1). */
export function reconnectDelay(retry: number, random: number): number {
  const full = Math.min(CAP_MS, FIRST_MS * 2 ** retry);
  return full * (1 + CHANCE * (2 * random - 1));
}
