/** What a session does, as a shape and a word: colour alone would not reach everyone. */
import type { Activity } from "../contract";
import { element, setText } from "../dom/dom";
import type { Watched } from "../stall/stall-watch";

const WORDS: Record<Activity, string> = {
  idle: "Idle",
  running: "Working",
  permission: "Needs your answer",
  error: "Error",
};

export type ActivityLabel = { root: HTMLElement; update(session: Watched, isUnread?: boolean): void };

/** What is told first of a session: what someone must do, then what it does, then how it ended. */
export function standing(session: Watched, isUnread: boolean): { kind: string; word: string } {
  if (session.silentMs !== undefined) return { kind: "silent", word: "No sign of life" };
  if (session.activity === "permission" || session.activity === "running")
    return { kind: session.activity, word: WORDS[session.activity] };
  if (session.status === "dead") return { kind: "dead", word: "Ended" };
  if (session.activity === "error") return { kind: "error", word: WORDS.error };
  if (isUnread) return { kind: "unread", word: "Unread" };
  return { kind: session.activity, word: WORDS[session.activity] };
}

export function activityLabel(): ActivityLabel {
  const root = element("span", "activity");
  return {
    root,
    update(session, isUnread = false) {
      const { kind, word } = standing(session, isUnread);
      root.dataset.activity = kind;
      setText(root, word);
    },
  };
}
