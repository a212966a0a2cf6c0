/** Keys as they are printed on the keyboard. */
import { element } from "../dom/dom";
import { keyNames } from "./chord";
import { IS_MAC } from "./is-mac";

export function keysView(chord: string): HTMLElement {
  return element("span", "keys", ...keyNames(chord, IS_MAC).map((name) => element("kbd", "key", name)));
}
