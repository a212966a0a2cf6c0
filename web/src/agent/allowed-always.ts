/** What the agent may do without asking for as long as it runs: how much of it there is, what it is, and taking it back. */
import type { StandingPermission } from "../contract";
import type { Question } from "../dom/confirm-sheet";
import { visibleLine } from "../text/visible-text";

const TAKING_BACK = [
  "Taking it back ends the agent with everything it started, also what it does right now.",
  "The conversation stays. Your next message starts an agent that asks again.",
  "A mode stays until you choose another, and so does what the agent wrote into its own files.",
];

export function allowedWords(allowed: readonly StandingPermission[]): string {
  return `Allowed always: ${allowed.length}`;
}

/** Lists it, and asks whether it is to be taken back. */
export function takeBack(allowed: readonly StandingPermission[], run: () => void): Question {
  const list = allowed.map(({ name, title }) => visibleLine(`${name} (asked for: ${title})`));
  return { title: "Allowed without asking", list, text: TAKING_BACK, verb: "Take back", run };
}
