/** How an item that did not complete came to its end, in words. */
import type { UpsertObject } from "../contract";

export type Ending =
  | { kind: "none" }
  | { kind: "stopped"; text: string }
  | { kind: "superseded"; text: string }
  | { kind: "failed"; text: string; code: string };

/** Not failures: someone or something ended the item on purpose or from outside. */
const STOPPED = new Map([
  ["CANCELLED", "Stopped"],
  ["INTERRUPTED", "Interrupted"],
  ["REMOVED", "Removed from the queue"],
]);

export function ending(item: Pick<UpsertObject, "status" | "errorCode" | "errorMessage">): Ending {
  if (item.status !== "error") return { kind: "none" };
  const code = item.errorCode ?? "ERROR";
  if (code === "SUPERSEDED") return { kind: "superseded", text: "Replaced by a newer attempt" };
  const stopped = STOPPED.get(code);
  if (stopped !== undefined) return { kind: "stopped", text: stopped };
  return { kind: "failed", code, text: item.errorMessage ?? "It failed without a reason given." };
}
