/** The first thing that Tab reaches: leads past the list of sessions to what is in sight. */
import { element } from "../dom/dom";
import { isInSight } from "../dom/in-sight";

const TARGET = "main";

/** `first` is what is in sight most of the time. */
export function skipLink(first: HTMLElement): HTMLElement {
  first.id = TARGET;
  const link = element("a", "skip-link", "Skip to content");
  link.href = `#${TARGET}`;
  // Of the screens one is in sight, and not always the same.
  link.addEventListener("focus", () => target());
  link.addEventListener("click", (event) => {
    // The address says which session is open: it must stay.
    event.preventDefault();
    target()?.focus();
  });
  return link;
}

/** The screen in sight; the address of the link means it, for those who read it aloud. */
function target(): HTMLElement | undefined {
  const main = [...document.querySelectorAll("main")].find(isInSight);
  if (!main) return undefined;
  if (main.id !== TARGET) document.getElementById(TARGET)?.removeAttribute("id");
  main.id = TARGET;
  main.tabIndex = -1;
  return main;
}
