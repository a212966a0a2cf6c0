/** Keys as they are printed on the keyboard. */
import { element } from "../dom/dom";
import { keyNames } from "./chord";

export const IS_MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

export function keysView(chord: string): HTMLElement {
  return element("span", "keys", ...keyNames(chord, IS_MAC).map((name) => element("kbd", "key", name)));
}
