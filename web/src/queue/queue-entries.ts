/** What waits, as it is listed: turns that the server has, then messages that it does not have yet. Pure. */
import type { QueuedTurn } from "../contract";
import type { Outgoing } from "../server/outbox";

export type EntryState = "queued" | "paused" | "sending" | "unsent" | "unconfirmed" | "incomplete" | "held";

export type QueueEntry = {
  id: string;
  content: string;
  state: EntryState;
  words: string;
  /** Whether the server has it. */
  isTurn: boolean;
  canChange: boolean;
  canRemove: boolean;
};

export type Waiting = {
  queued: QueuedTurn[];
  unsent: Outgoing[];
  isLive: boolean;
  lacksImages(message: Outgoing): boolean;
};

const WORDS: Record<EntryState, string> = {
  queued: "Waits for its turn",
  paused: "Paused",
  sending: "Sending",
  unsent: "Waiting for the connection",
  unconfirmed: "Waiting for the connection, may have arrived",
  incomplete: "A reload lost its images",
  held: "Being changed",
};

export function queueEntries({ queued, unsent, isLive, lacksImages }: Waiting): QueueEntry[] {
  return [
    ...queued.map(({ turnId, content, paused }) => {
      const state: EntryState = paused ? "paused" : "queued";
      const words = WORDS[state];
      return { id: turnId, content, state, words, isTurn: true, canChange: isLive, canRemove: isLive };
    }),
    ...unsent.map((message) => {
      const state = stateOf(message, isLive, lacksImages(message));
      // What the server may have already cannot be changed behind its back.
      const canChange = !message.isTried;
      return {
        id: message.clientMessageId,
        content: message.content,
        state,
        words: WORDS[state],
        isTurn: false,
        canChange,
        // It cannot go on as it is, and holds back what comes after it: that is not for ever.
        canRemove: canChange || state === "incomplete",
      };
    }),
  ];
}

function stateOf({ isTried, isHeld }: Outgoing, isLive: boolean, lacksImages: boolean): EntryState {
  if (isHeld) return "held";
  if (lacksImages) return "incomplete";
  if (isLive) return "sending";
  return isTried ? "unconfirmed" : "unsent";
}

/** What stands above the list. */
export function queueHeading(entries: QueueEntry[]): string {
  const count = entries.length === 1 ? "1 message waits" : `${entries.length} messages wait`;
  return entries.some(({ state }) => state === "paused") ? `Paused: ${count}` : count;
}

/** Why a change came too late, in words. */
export function tooLate(code: string, message: string): string {
  if (code === "TURN_ALREADY_STARTED")
    return "This message has begun meanwhile, so it cannot be changed any more.";
  if (code === "TURN_NOT_FOUND") return "This message does not wait any more.";
  return message;
}
