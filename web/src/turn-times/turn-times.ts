/** Where the time of a turn went, in milliseconds from its beginning. Pure. */
import type { ItemId, PermissionRequest, Timestamp, UpsertObject } from "../contract";
import { visibleLine } from "../text/visible-text";
import type { Turn } from "../timeline/timeline";

/**
 * `person`: the agent waits for an answer. `quiet`: nothing is told, the model or the agent is at something. `omitted`: a
 * beginning that was not read.
 */
export type TimeKind = "person" | "tool" | "thinking" | "text" | "quiet" | "omitted";
export type TimeBar = {
  kind: TimeKind;
  name: string;
  itemId?: ItemId;
  nested: boolean;
  from: number;
  to: number;
};
export type TurnTimes = {
  total: number;
  isRunning: boolean;
  bars: TimeBar[];
  /** When the first text for the reader came. */
  firstText: number | undefined;
  /** Every moment counted once: together they are the total. */
  sums: { kind: TimeKind; time: number }[];
};

/** A silence shorter than this, or than this part of the turn, is not told. */
const SILENCE_MS = 300;
const SILENCE_PART = 0.01;
/** What counts where several things go on at the same time. */
const RANK: readonly TimeKind[] = ["person", "tool", "thinking", "text", "quiet", "omitted"];

/** `isWhole`: whether the items are all of them, or only the last. */
export function turnTimes(
  turn: Turn,
  items: readonly UpsertObject[],
  asked: readonly PermissionRequest[],
  now: number,
  isWhole = true,
): TurnTimes {
  const own = items.filter((item) => item.turnId === turn.turnId && !isPrompt(item));
  const start = timeOf(turn.started?.at) ?? Math.min(...own.map(beginOf), now);
  const end = Math.max(timeOf(turn.ended?.at) ?? now, start);
  const within = (from: number, to: number) => ({
    from: Math.min(Math.max(from, start), end) - start,
    to: Math.min(Math.max(to, from, start), end) - start,
  });
  const ids = new Set(own.map(({ itemId }) => itemId));
  const told: TimeBar[] = [
    ...own.map((item) => ({ ...about(item), ...within(beginOf(item), endOf(item) ?? end) })),
    ...asked
      .filter(({ turnId, itemId }) => turnId === turn.turnId || (itemId !== undefined && ids.has(itemId)))
      .map((request) => ({
        ...aboutWaiting(request),
        ...within(timeOf(request.askedAt) ?? start, timeOf(request.resolvedAt) ?? end),
      })),
  ];
  const total = end - start;
  const readFrom = isWhole ? 0 : Math.min(...own.map(beginOf), end) - start;
  const bars = [...told, ...silences(told, total, readFrom)].sort((a, b) => a.from - b.from || a.to - b.to);
  const text = bars.find(({ kind }) => kind === "text");
  return {
    total,
    isRunning: turn.ended === undefined,
    bars,
    firstText: isWhole ? text?.from : undefined,
    sums: sumsOf(bars, total),
  };
}

/** The parts of the turn in which nothing that is known went on. */
function silences(told: readonly TimeBar[], total: number, readFrom: number): TimeBar[] {
  const least = Math.max(SILENCE_MS, total * SILENCE_PART);
  const found: TimeBar[] = [];
  let until = 0;
  for (const { from, to } of [...told, { from: total, to: total }].sort((a, b) => a.from - b.from)) {
    if (from - until >= least) found.push(until < readFrom ? omitted(until, from) : silence(until, from));
    until = Math.max(until, to);
  }
  return found;
}

function silence(from: number, to: number): TimeBar {
  return {
    kind: "quiet",
    name: from === 0 ? "Until the first sign" : "Nothing told",
    nested: false,
    from,
    to,
  };
}

function omitted(from: number, to: number): TimeBar {
  return { kind: "omitted", name: "Left out: earlier steps", nested: false, from, to };
}

/** Goes through the turn from edge to edge; each stretch belongs to what counts most in it. */
function sumsOf(bars: readonly TimeBar[], total: number): TurnTimes["sums"] {
  const edges = bars.flatMap(({ kind, from, to }) => [
    { at: from, kind, by: 1 },
    { at: to, kind, by: -1 },
  ]);
  edges.push({ at: total, kind: "quiet", by: 0 });
  const [sums, going] = [new Map<TimeKind, number>(), new Map<TimeKind, number>()];
  let last = 0;
  for (const { at, kind, by } of edges.sort((a, b) => a.at - b.at)) {
    const counts = RANK.find((one) => (going.get(one) ?? 0) > 0) ?? "quiet";
    sums.set(counts, (sums.get(counts) ?? 0) + at - last);
    going.set(kind, (going.get(kind) ?? 0) + by);
    last = at;
  }
  return RANK.map((kind) => ({ kind, time: sums.get(kind) ?? 0 })).filter(({ time }) => time > 0);
}

function about(item: UpsertObject): Omit<TimeBar, "from" | "to"> {
  const nested = item.parentItemId !== undefined;
  const { itemId } = item;
  if (item.type === "tool_call") return { kind: "tool", name: visibleLine(item.toolName), itemId, nested };
  if (item.type === "thinking") return { kind: "thinking", name: "Thinking", itemId, nested };
  return { kind: "text", name: item.origin === "system" ? "Notice" : "Text", itemId, nested };
}

function aboutWaiting({ itemId, title }: PermissionRequest): Omit<TimeBar, "from" | "to"> {
  const name = `Waiting for you: ${visibleLine(title)}`;
  return { kind: "person", name, nested: false, ...(itemId !== undefined && { itemId }) };
}

function isPrompt(item: UpsertObject): boolean {
  return item.type === "message" && item.origin === "user";
}

function beginOf(item: UpsertObject): number {
  return timeOf(item.startedAt) ?? timeOf(item.sourceTimestamp) ?? 0;
}

/** A call is over with its output, everything else with its last state. */
function endOf(item: UpsertObject): number | undefined {
  const isOver = item.status === "error" || (item.status === "complete" && !isRunning(item));
  return isOver ? timeOf(item.emittedAt) : undefined;
}

function isRunning(item: UpsertObject): boolean {
  return item.type === "tool_call" && item.toolOutput === undefined;
}

function timeOf(time: Timestamp | undefined): number | undefined {
  const at = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(at) ? undefined : at;
}
