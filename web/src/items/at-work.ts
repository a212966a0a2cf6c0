/** Whether an item is not done yet. */
import type { Item } from "../timeline/timeline";
import { toolState } from "./tool-text";

export function isAtWork(item: Item): boolean {
  if (item.type === "tool_call") return toolState(item) === "running";
  return item.status === "create" || item.status === "update";
}
