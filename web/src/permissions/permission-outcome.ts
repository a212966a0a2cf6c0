/** What became of a permission request, in words. Pure. */
import type { PermissionAnswer, PermissionOption, PermissionRequest } from "../contract";
import { type Answers, answerLines } from "./answer-lines";
import type { GivenHere } from "./desk";
import { allows } from "./option-choice";

/** `given` is the answer from here, if there was one. */
export function outcomeLines(request: PermissionRequest, given: GivenHere | undefined): string[] {
  if (request.outcome === "withdrawn") return ["The agent does not ask any more."];
  if (request.outcome === "turn_ended") return ["Its turn ended before it was answered."];
  if (request.outcome === undefined) return ["It does not wait any more."];
  const whose = whoseIs(request, given);
  const said = saidLines(request, whose === "another's" ? undefined : given?.answer);
  return [`${whoDidWhat(request, whose)}.`, ...said];
}

export type Whose = "ours" | "another's" | "not known yet";

/** Whose doing it is that a request is over. Two may press the same at the same time: which of them was first, only the server knows. */
export function whoseIs(request: PermissionRequest, given: GivenHere | undefined): Whose {
  if (request.outcome !== "selected" && request.outcome !== "cancelled") return "another's";
  const by = request.answer?.by ?? "browser";
  if (!given || by !== "browser" || !isSame(request, given.answer)) return "another's";
  return given.isTaken ? "ours" : "not known yet";
}

function whoDidWhat(request: PermissionRequest, whose: Whose): string {
  const done = doneWords(request);
  if (whose === "ours") return `You ${done.charAt(0).toLowerCase()}${done.slice(1)}`;
  return whose === "another's" ? `${done} ${placeOf(request)}` : done;
}

/** The decision in as few words as it takes: "Allowed once". */
export function decisionWord(request: PermissionRequest): string {
  if (request.outcome === "withdrawn") return "Withdrawn";
  if (request.outcome === "turn_ended") return "Not answered";
  return request.outcome === undefined ? "Over" : doneWords(request, false);
}

/** For its colour and shape. */
export function kindOf(request: PermissionRequest): "allowed" | "refused" | "over" {
  if (request.outcome === "cancelled") return "refused";
  const chosen = chosenIn(request);
  if (request.outcome !== "selected" || !chosen) return "over";
  return allows(chosen.kind) ? "allowed" : "refused";
}

/** Where it was answered, if not in a browser: "in the terminal". */
export function whereWords({ answer }: PermissionRequest): string {
  const by = answer?.by;
  // Most are; it is worth a word only where it was not.
  if (by === undefined || by === "browser") return "";
  if (by === "command line") return "in the terminal";
  return by === "start token" ? "by a program" : `by ${by}`;
}

/** What a decision was, beyond its word: for how long it holds, what was said with it. */
export function detailLines(request: PermissionRequest): string[] {
  const chosen = chosenIn(request);
  const holds = chosen?.kind === "allow_always" || chosen?.kind === "reject_always" ? [chosen.name] : [];
  return [...holds, ...saidLines(request)];
}

/** Words to the agent, answers to its questions, what was allowed instead: as the server has them, else as they were given here. */
function saidLines({ answer }: PermissionRequest, here?: PermissionAnswer): string[] {
  const answers: Answers | undefined = answer?.answers ?? here?.answers;
  const feedback = answer?.feedback ?? here?.feedback;
  const input = answer?.updatedInput;
  return [
    ...(input ? [`With other arguments: ${JSON.stringify(input)}`] : []),
    ...(answers ? answerLines(answers) : []),
    ...(feedback ? [`“${feedback}”`] : []),
  ];
}

function isSame({ outcome, optionId }: PermissionRequest, answer: PermissionAnswer): boolean {
  return outcome === "cancelled" ? answer.cancel === true : answer.optionId === optionId;
}

function doneWords(request: PermissionRequest, isLong = true): string {
  if (request.outcome === "cancelled") return "Denied and stopped";
  const chosen = chosenIn(request);
  if ((request.questions ?? []).length > 0 && chosen?.kind === "allow_once") return "Answered";
  return chosen ? chosenWords(chosen, isLong) : `Answered ${request.optionId ?? ""}`.trimEnd();
}

function chosenIn({ options, optionId }: PermissionRequest): PermissionOption | undefined {
  return options.find((option) => option.optionId === optionId);
}

/** What *always* means is the agent's to say, so its own words stay. */
function chosenWords({ kind, name }: PermissionOption, isLong: boolean): string {
  switch (kind) {
    case "allow_once":
      return "Allowed once";
    case "allow_always":
      return isLong ? `Allowed always (${name})` : "Allowed always";
    case "reject_once":
      return "Rejected";
    case "reject_always":
      return isLong ? `Rejected always (${name})` : "Rejected always";
  }
}

/** Seen from a page that did not give the answer. */
function placeOf(request: PermissionRequest): string {
  if (request.answer?.by === "browser") return "in another window";
  return whereWords(request) || "elsewhere";
}
