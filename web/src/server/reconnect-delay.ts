/** When to try again after a lost connection. */
const FIRST_MS = 500;
const CAP_MS = 5_000;

/**
 * The wait before a retry, counted from 0: half a second, doubled each time, at most five seconds.
 *
 * Up to half of it is taken away at random (`random` in 0..1), so that many pages do not come back at the same moment.
 */
export function reconnectDelay(retry: number, random: number): number {
  const full = Math.min(CAP_MS, FIRST_MS * 2 ** retry);
  return full * (1 - random / 2);
}
