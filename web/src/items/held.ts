/** Whether a reader is at an element, so that it must not be folded away: opened, focused, or read above the end. */
const NEAR_END = 24;

export function isHeld(root: HTMLElement | undefined): boolean {
  if (!root?.isConnected) return false;
  return root.querySelector("details[open]") !== null || isBeingRead(root);
}

/** Whether someone is at it now, so that nothing in it may move. */
export function isBeingRead(root: HTMLElement): boolean {
  if (root.contains(document.activeElement) || isSelected(root)) return true;
  const box = root.closest<HTMLElement>(".transcript");
  if (!box || box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_END) return false;
  const [own, seen] = [root.getBoundingClientRect(), box.getBoundingClientRect()];
  return own.bottom > seen.top && own.top < seen.bottom;
}

function isSelected(root: HTMLElement): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(root, true);
}
