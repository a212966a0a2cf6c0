/** Thinking in words. */
import { duration } from "../text/time-text";
import type { Item } from "../timeline/timeline";

export type ThinkingItem = Extract<Item, { type: "thinking" }>;

export function thinkingLabel(item: ThinkingItem): string {
  if (item.status === "create" || item.status === "update") return "Thinking";
  const time = duration(item.startedAt, item.emittedAt);
  return time === undefined ? "Thought" : `Thought for ${time}`;
}

/** Only the end of a long line matters, and only that much is ever looked at. */
export function lastLine(text: string): string {
  const end = text.slice(-2_000).trimEnd();
  const line = end.slice(end.lastIndexOf("\n") + 1).replace(/^[#>\s]+|\*\*|`/g, "");
  return line.length > 160 ? `…${line.slice(-160)}` : line;
}
