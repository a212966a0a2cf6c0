/** The shape of the list that is about to come. */
import { element } from "../dom/dom";

const ROWS = 6;

export function skeleton(): HTMLElement {
  const rows = Array.from({ length: ROWS }, () => {
    return element("div", "skeleton-row", element("span", "skeleton-line"), element("span", "skeleton-line"));
  });
  const root = element("div", "skeleton", element("span", "skeleton-line skeleton-name"), ...rows);
  root.ariaHidden = "true";
  return root;
}
