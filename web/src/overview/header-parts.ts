/** What stands in the header of whatever page is shown: it moves there, so that there is one of each. */

/** In their order: the way to the list first, the others last. */
const FIRST = ".sidebar-toggle";
const LAST = [".overview-badge", ".connection", ".tab-count"];

export function takeHeaderParts(header: HTMLElement, notes: HTMLElement): void {
  const first = document.querySelector(FIRST);
  if (first && first.parentElement !== header) header.prepend(first);
  for (const selector of LAST) {
    const part = document.querySelector(selector);
    if (part && part.parentElement !== header) header.append(part);
  }
  if (notes.previousElementSibling !== header) header.after(notes);
}
