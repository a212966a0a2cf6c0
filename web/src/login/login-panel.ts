/** What someone sees who is not logged in. */

import { brand } from "../dom/brand";
import { button, element } from "../dom/dom";

export function loginPanel(problem: string | undefined): HTMLElement {
  const panel = element(
    "main",
    "panel",
    brand(),
    element("h1", "panel-title", "This page needs a login link"),
  );
  panel.dataset.panel = "login";
  if (problem !== undefined) panel.append(alertLine(problem));
  panel.append(
    element(
      "p",
      "",
      "When the server starts it prints a link. That link logs this browser in: it works once, for ten minutes.",
    ),
    steps(),
    element("p", "panel-aside", "After that the plain address is enough in this browser."),
    button("Reload", "primary", () => location.reload()),
  );
  return panel;
}

function steps(): HTMLElement {
  const list = element("ol", "steps");
  list.append(
    element("li", "", "Open the link from the terminal in which the server runs."),
    element("li", "", "If it no longer works, run ", code("liminal open"), ": it prints a fresh one."),
  );
  return list;
}

function alertLine(text: string): HTMLElement {
  const line = element("p", "alert", text);
  line.role = "alert";
  return line;
}

function code(text: string): HTMLElement {
  return element("code", "", text);
}
