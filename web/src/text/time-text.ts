/** Times and durations as people say them. */
import type { Timestamp } from "../contract";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Making one takes longer than all that it is used for.
const DATE = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const HOURS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const CLOCK = new Intl.DateTimeFormat("en", HOURS);
const EXACT_CLOCK = new Intl.DateTimeFormat("en", { ...HOURS, second: "2-digit" });

/** How long ago a time was, in its largest unit. */
export function ago(time: Timestamp, now: Date): string {
  const seconds = (now.getTime() - Date.parse(time)) / 1000;
  if (!(seconds >= MINUTE)) return "just now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  if (seconds < 7 * DAY) return `${Math.floor(seconds / DAY)} d ago`;
  return day(time);
}

/** The date, or nothing if that is no time. */
export function day(time: Timestamp): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "" : DATE.format(date);
}

/** The time between two moments; nothing when one is unknown or it is too short to matter. */
export function duration(from: Timestamp | undefined, to: Timestamp | undefined): string | undefined {
  if (from === undefined || to === undefined) return undefined;
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  if (!(seconds >= 0.1)) return undefined;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < MINUTE - 0.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
}

/** Whole seconds, for what still goes on; nothing before the first one is over. */
export function seconds(amount: number): string {
  const whole = Math.floor(amount);
  if (!(whole >= 1)) return "";
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
}

export function clock(time: Timestamp, withSeconds = false): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return (withSeconds ? EXACT_CLOCK : CLOCK).format(date);
}

/** How old something is, in as few letters as can be. */
export function age(time: Timestamp, now: Date): string {
  const seconds = (now.getTime() - Date.parse(time)) / 1000;
  if (!(seconds >= MINUTE)) return "now";
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 7 * DAY) return `${Math.floor(seconds / DAY)}d`;
  return `${Math.floor(seconds / (7 * DAY))}w`;
}
