/** What became of a permission request, in words. */
import type { PermissionAnswer, PermissionRequest } from "../contract";
import { answerLines } from "./permission-questions";

/** `answer` is the one that was given here, if one was. */
export function outcomeLines(request: PermissionRequest, answer: PermissionAnswer | undefined): string[] {
  const { outcome, optionId, options } = request;
  if (outcome === "withdrawn") return ["The agent does not ask any more."];
  if (outcome === "turn_ended") return ["Its turn ended before it was answered."];
  const isOurs = answer !== undefined && (answer.optionId === optionId || outcome === "cancelled");
  const who = isOurs ? "You answered" : "Answered elsewhere";
  if (outcome === "cancelled") return [`${who}: stop`];
  const name = options.find((option) => option.optionId === optionId)?.name ?? optionId ?? "";
  return [`${who}: ${name}`, ...(isOurs && answer.answers ? answerLines(answer.answers) : [])];
}
