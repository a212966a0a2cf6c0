/** A time axis with round steps, and times as they are written on it. Pure. */
import { duration } from "../text/time-text";

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600];
const MOST_STEPS = 5;

/** Where the axis is marked, in milliseconds: at most five steps of a round number of seconds, or parts of one. */
export function ticksOf(total: number): number[] {
  if (!(total > 0)) return [0];
  const step = stepOf(total);
  return Array.from({ length: Math.floor(total / step) + 1 }, (_, at) => at * step);
}

function stepOf(total: number): number {
  if (total <= 1_000) return total / 2;
  const seconds = STEPS.find((one) => total / (one * 1_000) <= MOST_STEPS);
  return (seconds ?? Math.ceil(total / 3_600_000 / MOST_STEPS) * 3_600) * 1_000;
}

export function timeText(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  return duration(new Date(0).toISOString(), new Date(milliseconds).toISOString()) ?? "0 s";
}
