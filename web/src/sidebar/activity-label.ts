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

export type ActivityLabel = { root: HTMLElement; update(session: Watched): void };

export function activityLabel(): ActivityLabel {
  const root = element("span", "activity");
  return {
    root,
    update(session) {
      const dead = session.status === "dead";
      const silent = session.silentMs !== undefined;
      root.dataset.activity = dead ? "dead" : silent ? "silent" : session.activity;
      setText(root, dead ? "Ended" : silent ? "No sign of life" : WORDS[session.activity]);
    },
  };
}
