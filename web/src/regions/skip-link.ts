/** The first thing that Tab reaches: leads past the list of sessions to what is open. */
import { element } from "../dom/dom";

export function skipLink(main: HTMLElement): HTMLElement {
  main.id = "main";
  main.tabIndex = -1;
  const link = element("a", "skip-link", "Skip to the session");
  link.href = `#${main.id}`;
  link.addEventListener("click", (event) => {
    // The address says which session is open: it must stay.
    event.preventDefault();
    main.focus();
  });
  return link;
}
