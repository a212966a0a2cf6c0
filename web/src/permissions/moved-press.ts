/** A press on what has just moved was meant for what stood there before. Keys mean what has the focus, wherever that is. */
import { stillFor } from "../dom/still-place";
import { GRACE_MS } from "./grace";

export const JUST_MOVED = "It had just moved: nothing was sent.";

/** `watched` is asked for its place from the moment that it is shown. */
export function ignoreWhatMoved(watched: HTMLElement, ignored: () => void): void {
  let isMeant = true;
  const judge = () => {
    isMeant = stillFor(watched, performance.now()) >= GRACE_MS;
  };
  watched.addEventListener("pointerdown", judge, true);
  watched.addEventListener(
    "click",
    (event) => {
      // A click that no pointer made comes from a key.
      if (event.detail === 0 || !(event.target as Element).closest("button")) return;
      // What moved between press and release is no better.
      if (isMeant) judge();
      if (isMeant) return;
      isMeant = true;
      event.stopPropagation();
      ignored();
    },
    true,
  );
}
