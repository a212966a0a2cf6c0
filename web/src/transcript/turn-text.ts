/** How a turn stands, in words. */
import type { Usage } from "../contract";
import { about, dollars } from "../text/amount-text";
import { duration } from "../text/time-text";
import type { Turn } from "../timeline/timeline";

export type TurnState = "running" | "completed" | "cancelled" | "failed";

export function turnState(turn: Turn): TurnState {
  if (!turn.ended) return "running";
  return turn.ended.type === "turn_error" ? "failed" : turn.ended.status;
}

const WORDS: Record<TurnState, string> = {
  running: "Working",
  completed: "Completed",
  cancelled: "Cancelled",
  failed: "Failed",
};

/** `asks`: whether the agent waits for an answer. */
export function turnWord(turn: Turn, asks = false): string {
  const state = turnState(turn);
  return state === "running" && asks ? "Waiting for your answer" : WORDS[state];
}

const UNKNOWN = "usage unknown";

/** What is known of a turn that ended. Of one that went to its end, it is said where the agent did not tell what it used. */
export function turnFacts(turn: Turn): string[] {
  if (!turn.ended) return [];
  const { usage } = turn.ended.type === "turn_complete" ? turn.ended : {};
  const facts = [
    duration(turn.started?.at, turn.ended.at),
    modelOf(turn),
    (usage && spent(usage)) ?? (turnState(turn) === "completed" ? UNKNOWN : undefined),
    dollars(usage?.costUsd),
  ];
  return facts.filter((fact) => fact !== undefined);
}

/** The same in exact numbers, for those who look closer. */
export function exactUsage(turn: Turn): string {
  const usage = turn.ended?.type === "turn_complete" ? turn.ended.usage : undefined;
  if (!usage) return "";
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = usage;
  const lines = [
    line("tokens in", inputTokens),
    line("of them read from the cache", cacheReadInputTokens),
    line("of them written to the cache", cacheCreationInputTokens),
    line("tokens out", outputTokens),
    line("tokens of context", usage.contextTokens),
  ];
  return lines.filter((one) => one !== undefined).join("\n");
}

function modelOf({ started }: Turn): string | undefined {
  const model = started?.modelId ?? "";
  return model === "" || model === "unknown" || model === "default" ? undefined : model;
}

/** Some agents tell only how full their window is, and no tokens of the turn. */
function spent(usage: Usage): string | undefined {
  if (usage.inputTokens > 0 || usage.outputTokens > 0)
    return `${about(usage.inputTokens)} tokens in, ${about(usage.outputTokens)} out`;
  if (usage.contextTokens === undefined) return undefined;
  const window = usage.contextWindow === undefined ? "" : ` of ${about(usage.contextWindow)}`;
  return `${about(usage.contextTokens)}${window} tokens of context`;
}

function line(words: string, amount: number | undefined): string | undefined {
  return amount === undefined || amount === 0 ? undefined : `${amount.toLocaleString("en")} ${words}`;
}
