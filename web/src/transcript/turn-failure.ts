/** Why a turn failed, and what to do about it. */
import type { Turn } from "../timeline/timeline";

export type Failure = {
  /** What happened. */
  title: string;
  /** What to do. */
  advice: string;
  /** The agent's own words; empty where they say nothing more. */
  message: string;
  code: string;
  /** Nobody's fault: it was cut short. */
  isCut: boolean;
};

type Words = readonly [title: string, advice: string];

/** By what the agent says went wrong, else by our own code. */
const KNOWN = new Map<string, Words>([
  ["rate_limit", ["The rate limit is reached", "Wait a while, then send the message again."]],
  [
    "overloaded",
    ["The model has too much to do", "Nothing is wrong here. Send the message again in a minute."],
  ],
  [
    "server_error",
    [
      "The model's server failed",
      "Send the message again. If it stays so, look at the provider's status page.",
    ],
  ],
  [
    "authentication_failed",
    ["The agent is not logged in", "Log in with the agent's own program, then send the message again."],
  ],
  [
    "billing_error",
    ["The account cannot pay for this", "Look at the plan or the credit of the agent's account."],
  ],
  [
    "invalid_request",
    ["The model did not take the request", "Say it in another way, or start a new session."],
  ],
  [
    "context_window_exceeded",
    ["The conversation is too long for the model", "Let the agent compact it, or start a new session."],
  ],
  ["max_output_tokens", ["The answer got too long", "Ask for it in smaller parts."]],
  ["refusal", ["The model refused to answer", "Say it in another way."]],
  ["process_crash", ["The agent's process ended", "What it did is kept. Send a message to start it again."]],
  ["interrupted", ["The turn was cut short", "What it did is kept. Send a message to go on."]],
  [
    "protocol_error",
    [
      "The agent said something out of order",
      "Send the message again. If it stays so, look at the server's log.",
    ],
  ],
  [
    "session_create_failed",
    ["The agent could not start the session", "Look at what it says, then send the message again."],
  ],
  ["session_not_found", ["The agent does not know this session any more", "Start a new session."]],
  ["removed", ["Taken out of the queue", "Send it again if you still want it."]],
  ["cancelled", ["Stopped", "Send a message to go on."]],
]);
const OTHERWISE: Words = ["The turn failed", "Send the message again, or say it in another way."];
const CUT = new Set(["interrupted", "cancelled", "removed"]);

/** Absent for every turn that did not fail. */
export function turnFailure({ ended }: Turn): Failure | undefined {
  if (ended?.type !== "turn_error") return undefined;
  const { errorCode, errorClass, errorMessage } = ended;
  const [kind = "", words = OTHERWISE] =
    [errorClass, errorCode]
      .filter((name) => name !== undefined)
      .map((name) => [name.toLowerCase(), KNOWN.get(name.toLowerCase())] as const)
      .find(([, found]) => found !== undefined) ?? [];
  const code = errorClass === undefined ? errorCode : `${errorCode} · ${errorClass}`;
  return { title: words[0], advice: words[1], message: errorMessage, code, isCut: CUT.has(kind) };
}
