/** The work of a subagent in words. */
import { counted } from "../text/amount-text";
import type { Children } from "../timeline/children";
import { lastLine } from "./thinking-text";
import { type ToolState, toolState } from "./tool-text";
import { toolWords } from "./tool-words";

/** A call that only starts a subagent is over long before the subagent is. */
export function nestedState(own: ToolState, children: Children): ToolState {
  return own === "done" && children.atWork > 0 ? "running" : own;
}

export function stepCount(children: Children): string {
  return children.length === 0 ? "" : counted(children.length, "step");
}

/** What was done last, to see that it goes on without opening it. */
export function lastStep({ last }: Children): string {
  if (!last) return "";
  if (last.type !== "tool_call") return lastLine(last.content);
  const { verb, object } = toolWords(last, toolState(last));
  return object === "" ? verb : `${verb} ${object}`;
}
