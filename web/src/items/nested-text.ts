/** The work of a subagent in words. */
import { counted } from "../text/amount-text";
import type { Item } from "../timeline/timeline";
import { lastLine } from "./thinking-text";
import { type ToolState, toolState } from "./tool-text";
import { toolWords } from "./tool-words";

/** A call that only starts a subagent is over long before the subagent is. */
export function nestedState(own: ToolState, children: readonly Item[]): ToolState {
  return own === "done" && children.some(isAtWork) ? "running" : own;
}

export function stepCount(children: readonly Item[]): string {
  return children.length === 0 ? "" : counted(children.length, "step");
}

/** What was done last, to see that it goes on without opening it. */
export function lastStep(children: readonly Item[]): string {
  const last = children.at(-1);
  if (!last) return "";
  if (last.type !== "tool_call") return lastLine(last.content);
  const { verb, object } = toolWords(last, toolState(last));
  return object === "" ? verb : `${verb} ${object}`;
}

function isAtWork(item: Item): boolean {
  if (item.type === "tool_call") return toolState(item) === "running";
  return item.status === "create" || item.status === "update";
}
