/** What someone sees when the page cannot start at all. */

import { brand } from "./brand";
import { button, element } from "./dom";

export function failurePanel(message: string): HTMLElement {
  const panel = element(
    "main",
    "panel",
    brand(),
    element("h1", "panel-title", "The page could not start"),
    element("p", "", message),
    button("Reload", "primary", () => location.reload()),
  );
  panel.dataset.panel = "failure";
  return panel;
}
