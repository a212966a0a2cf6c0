/** The first thing that Tab reaches: leads past the list of sessions to what is in sight. */
import { element } from "../dom/dom";

export function skipLink(main: HTMLElement): HTMLElement {
  main.id = "main";
  const link = element("a", "skip-link", "Skip to content");
  link.href = `#${main.id}`;
  link.addEventListener("click", (event) => {
    // The address says which session is open: it must stay.
    event.preventDefault();
    focusMain();
  });
  return link;
}

/** Of the screens one is in sight. */
function focusMain(): void {
  const main = [...document.querySelectorAll("main")].find((screen) => screen.checkVisibility());
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}
