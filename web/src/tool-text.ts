/** A tool call in words. */
import type { ToolArguments } from "./contract";
import { ending } from "./item-ending";
import type { Item } from "./timeline";
import { visibleLine } from "./visible-text";

export type ToolItem = Extract<Item, { type: "tool_call" }>;
export type ToolState = "running" | "done" | "failed" | "stopped";

/** Without output a call runs, whether its arguments are final yet or not. */
export function toolState(item: ToolItem): ToolState {
  if (item.status === "error") return ending(item).kind === "failed" ? "failed" : "stopped";
  if (item.toolOutput !== undefined) return item.toolOutputIsError ? "failed" : "done";
  return "running";
}

/** Arguments that say most about a call, best first. */
const TELLING = ["command", "file_path", "path", "url", "pattern", "query", "description"];

/** One line of the arguments, to tell calls apart without opening them. */
export function toolHint(toolArguments: ToolArguments): string {
  const telling = TELLING.map((name) => toolArguments[name]).find(isText);
  return visibleLine(telling ?? Object.values(toolArguments).find(isText) ?? "");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
