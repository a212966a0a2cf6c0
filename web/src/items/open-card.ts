/** Opens the card of an item for something that is inside of it: built at once, all of it if need be. */

/** Gives whether there is more of it than before. */
export function openCard(row: HTMLElement): boolean {
  const fold = row.querySelector<HTMLDetailsElement>(":scope > .tool > .tool-fold, :scope > .thinking");
  if (!fold) return false;
  if (!fold.open) {
    fold.open = true;
    // Browsers tell of it later; whoever looks for something wants it now.
    fold.dispatchEvent(new Event("toggle"));
    return true;
  }
  const all = fold.querySelector<HTMLButtonElement>(
    ":scope > .tool-details > .output > .output-all:not([hidden])",
  );
  all?.click();
  return all !== null;
}
