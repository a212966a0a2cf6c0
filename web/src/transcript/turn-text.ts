/** How a turn stands, in words. */
import type { Usage } from "../contract";
import { duration } from "../text/time-text";
import type { Turn } from "../timeline/timeline";

export type TurnState = "running" | "completed" | "cancelled" | "failed";

export function turnState(turn: Turn): TurnState {
  if (!turn.ended) return "running";
  return turn.ended.type === "turn_error" ? "failed" : turn.ended.status;
}

/** `asks`: whether the agent waits for an answer. */
export function turnText(turn: Turn, asks = false): string {
  switch (turnState(turn)) {
    case "running":
      return asks ? "Waiting for your answer" : "Working";
    case "completed":
      return joined("Completed", elapsed(turn), spent(turn));
    case "cancelled":
      return joined("Cancelled", elapsed(turn), spent(turn));
    case "failed":
      return joined("Failed", elapsed(turn));
  }
}

/** Why a turn failed; absent for every other turn. */
export function turnFailure(turn: Turn): { code: string; message: string } | undefined {
  if (turn.ended?.type !== "turn_error") return undefined;
  return { code: turn.ended.errorCode, message: turn.ended.errorMessage };
}

function elapsed(turn: Turn): string | undefined {
  return duration(turn.started?.at, turn.ended?.at);
}

function spent(turn: Turn): string | undefined {
  const usage = turn.ended?.type === "turn_complete" ? turn.ended.usage : undefined;
  return usage && usageText(usage);
}

/** Some agents tell only how full their window is, and no tokens of the turn. */
function usageText(usage: Usage): string | undefined {
  if (usage.inputTokens === 0 && usage.outputTokens === 0) return windowText(usage);
  const tokens = `${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out`;
  return joined(tokens, costText(usage.costUsd));
}

/** Nothing where nothing is known to have been paid; a little is not nothing. */
function costText(dollars: number | undefined): string | undefined {
  if (dollars === undefined || dollars <= 0) return undefined;
  return dollars < 0.005 ? "less than $0.01" : `$${dollars.toFixed(2)}`;
}

function windowText({ contextTokens, contextWindow }: Usage): string | undefined {
  if (contextTokens === undefined) return undefined;
  const window = contextWindow === undefined ? "" : ` of ${count(contextWindow)}`;
  return `${count(contextTokens)}${window} tokens of context`;
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}

function joined(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" · ");
}
