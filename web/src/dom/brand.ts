/** The mark and name of the product. */
import { element } from "./dom";

export function brand(): HTMLElement {
  const mark = element("img", "brand-mark");
  mark.src = "/favicon.svg";
  mark.alt = "";
  return element("div", "brand", mark, element("span", "brand-name", "Liminal Builder"));
}
