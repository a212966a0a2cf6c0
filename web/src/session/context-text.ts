/** How full an agent's window is, in words and steps. */
import type { Usage } from "../contract";
import { about, dollars } from "../text/amount-text";
import type { Turn } from "../timeline/timeline";

export type Fullness = {
  /** From 0 to 1. */
  share: number;
  /** Calm, soon full, almost full. */
  step: "calm" | "high" | "full";
  /** "62 %" and "of 200k". */
  percent: string;
  window: string;
  exact: string;
};

const HIGH = 0.7;
const FULL = 0.9;

/** Nothing where it is not known how much there is or how much of it is used. */
export function fullness(usage: Usage | undefined): Fullness | undefined {
  const { contextTokens, contextWindow } = usage ?? {};
  if (contextTokens === undefined || !contextWindow) return undefined;
  const share = Math.min(1, contextTokens / contextWindow);
  const step = share >= FULL ? "full" : share >= HIGH ? "high" : "calm";
  const percent = `${Math.round(share * 100)} %`;
  const window = `of ${about(contextWindow)}`;
  const exact = `${contextTokens.toLocaleString("en")} of ${contextWindow.toLocaleString("en")} tokens of context used`;
  return { share, step, percent, window, exact };
}

/** Whether a turn went to its end: then what it used is told, or not known. */
export function hasCompleted(turns: Iterable<Turn>): boolean {
  for (const { ended } of turns)
    if (ended?.type === "turn_complete" && ended.status === "completed") return true;
  return false;
}

/** Where not all turns were read, what they cost is not what the session did. */
export function costWords(cost: number | undefined, isAll: boolean): string {
  const words = dollars(cost);
  if (words === undefined) return "";
  return isAll ? words : `At least ${words}`;
}

/** What the turns that are known have cost together; nothing where nobody told. */
export function totalCost(turns: Iterable<Turn>): number | undefined {
  let total: number | undefined;
  for (const { ended } of turns) {
    const cost = ended?.type === "turn_complete" ? ended.usage?.costUsd : undefined;
    if (cost !== undefined) total = (total ?? 0) + cost;
  }
  return total;
}
