/** Whether something lies above the page and keeps it out of reach. */
export const OPEN = "dialog:modal";

export function isDialogOpen(): boolean {
  return document.querySelector(OPEN) !== null;
}
