/** A plan in words. */
import type { PlanEntry } from "../contract";

export type StepState = "pending" | "in_progress" | "completed";

/** What an agent calls otherwise has not begun, as far as is known. */
export function stepState(entry: PlanEntry): StepState {
  return entry.status === "in_progress" || entry.status === "completed" ? entry.status : "pending";
}

export function planDone(entries: PlanEntry[]): boolean {
  return entries.every((entry) => stepState(entry) === "completed");
}

export function planProgress(entries: PlanEntry[]): string {
  const done = entries.filter((entry) => stepState(entry) === "completed").length;
  return `${done} of ${entries.length} done`;
}

/** How much of it is done, from 0 to 1. */
export function planShare(entries: PlanEntry[]): number {
  const done = entries.filter((entry) => stepState(entry) === "completed").length;
  return entries.length === 0 ? 0 : done / entries.length;
}

/** The step that is being done, to see where it stands without opening the plan. */
export function currentStep(entries: PlanEntry[]): string {
  return entries.find((entry) => stepState(entry) === "in_progress")?.content ?? "";
}
