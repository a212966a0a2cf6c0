/** What a session does, as a shape and a word: colour alone would not reach everyone. */
import type { Activity, SessionListItem } from "../contract";
import { element, setText } from "../dom/dom";

const WORDS: Record<Activity, string> = {
  idle: "Idle",
  running: "Working",
  permission: "Needs your answer",
  error: "Error",
};

export type ActivityLabel = { root: HTMLElement; update(session: SessionListItem): void };

export function activityLabel(): ActivityLabel {
  const root = element("span", "activity");
  return {
    root,
    update(session) {
      const dead = session.status === "dead";
      root.dataset.activity = dead ? "dead" : session.activity;
      setText(root, dead ? "Ended" : WORDS[session.activity]);
    },
  };
}
