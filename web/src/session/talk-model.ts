/** What the parts of a conversation are drawn from, and how they ask for something. */
import type { SessionListItem, SessionStatus } from "../contract";
import type { Outgoing } from "../server/outbox";

export type TalkModel = {
  session: SessionListItem | undefined;
  status: SessionStatus | undefined;
  unsent: Outgoing[];
  isLive: boolean;
  isRemoved: boolean;
  /** One is open, and what it is will be known soon. */
  isAwaited: boolean;
};

/** What a part draws: there is a session, and somebody to write to. */
export type OpenTalk = TalkModel & { session: SessionListItem };

/** What the parts have of the conversation that they are parts of. */
export type Scene = {
  /** What is drawn; undefined where there is nobody to write to. */
  readonly open: OpenTalk | undefined;
  /** Tells why something is refused, and what `note` adds to it. */
  attempt(work: Promise<unknown>, failed?: () => void, note?: () => string): Promise<void>;
  /** Something changed that is drawn. */
  changed(): void;
};

export function isRunning(open: OpenTalk | undefined): boolean {
  const activity = open?.session.activity;
  return activity === "running" || activity === "permission";
}
