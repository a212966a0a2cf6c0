/** Whether an element is one that letters go into: keys are its own, and the focus is not taken from it. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}
