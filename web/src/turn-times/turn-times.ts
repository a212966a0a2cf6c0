/** Where the time of a turn went, in milliseconds from its beginning. Pure. */
import type { ItemId, PermissionRequest, Timestamp, UpsertObject } from "../contract";
import { visibleLine } from "../text/visible-text";
import type { Turn } from "../timeline/timeline";

/** `person`: the agent waits for an answer. `quiet`: nothing is told, the model or the agent is at something. */
export type TimeKind = "person" | "tool" | "thinking" | "text" | "quiet";
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
const RANK: readonly TimeKind[] = ["person", "tool", "thinking", "text", "quiet"];

export function turnTimes(
  turn: Turn,
  items: readonly UpsertObject[],
  asked: readonly PermissionRequest[],
  now: number,
): TurnTimes {
  const own = items.filter((item) => item.turnId === turn.turnId && !isPrompt(item));
  const start = timeOf(turn.started?.at) ?? Math.min(...own.map(beginOf), now);
  const end = Math.max(timeOf(turn.ended?.at) ?? now, start);
  const within = (from: number, to: number) => ({
    from: Math.min(Math.max(from, start), end) - start,
    to: Math.min(Math.max(to, from, start), end) - start,
  });
  const told: TimeBar[] = [
    ...own.map((item) => ({ ...about(item), ...within(beginOf(item), endOf(item) ?? end) })),
    ...asked
      .filter(({ turnId, itemId }) => turnId === turn.turnId || own.some((item) => item.itemId === itemId))
      .map((request) => ({
        ...aboutWaiting(request),
        ...within(timeOf(request.askedAt) ?? start, timeOf(request.resolvedAt) ?? end),
      })),
  ];
  const total = end - start;
  const bars = [...told, ...silences(told, total)].sort((a, b) => a.from - b.from || a.to - b.to);
  const text = bars.find(({ kind }) => kind === "text");
  return {
    total,
    isRunning: turn.ended === undefined,
    bars,
    firstText: text?.from,
    sums: sumsOf(bars, total),
  };
}

/** The parts of the turn in which nothing that is known went on. */
function silences(told: readonly TimeBar[], total: number): TimeBar[] {
  const least = Math.max(SILENCE_MS, total * SILENCE_PART);
  const found: TimeBar[] = [];
  let until = 0;
  for (const { from, to } of [...told, { from: total, to: total }].sort((a, b) => a.from - b.from)) {
    if (from - until >= least) found.push(silence(until, from));
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

/** Goes through the turn from edge to edge; each stretch belongs to what counts most in it. */
function sumsOf(bars: readonly TimeBar[], total: number): TurnTimes["sums"] {
  const edges = [...new Set([0, total, ...bars.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const sums = new Map<TimeKind, number>(RANK.map((kind) => [kind, 0]));
  for (const [at, from] of edges.entries()) {
    const to = edges[at + 1];
    if (to === undefined) break;
    const going = new Set(bars.filter((bar) => bar.from <= from && bar.to >= to).map(({ kind }) => kind));
    const kind = RANK.find((one) => going.has(one)) ?? "quiet";
    sums.set(kind, (sums.get(kind) ?? 0) + to - from);
  }
  return [...sums].filter(([, time]) => time > 0).map(([kind, time]) => ({ kind, time }));
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
