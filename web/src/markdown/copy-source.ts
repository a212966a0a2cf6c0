/** Copying a whole message gives what was written; copying a part of it gives the words of that part. */

/** `source` tells what the content was made of. */
export function copySource(content: Element, source: () => string): void {
  content.addEventListener("copy", (event) => {
    const { clipboardData } = event as ClipboardEvent;
    const selection = getSelection();
    if (!clipboardData || !selection || !isWhollySelected(content, selection)) return;
    clipboardData.setData("text/plain", source());
    event.preventDefault();
  });
}

function isWhollySelected(content: Element, selection: Selection): boolean {
  if (selection.rangeCount !== 1 || selection.isCollapsed) return false;
  const words = wordsOf(content);
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || !selection.containsNode(first) || !selection.containsNode(last)) return false;
  return !reachesOut(content, selection.getRangeAt(0));
}

/** Its texts, without labels and buttons. */
function wordsOf(content: Element): Node[] {
  const walker = content.ownerDocument.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  const found: Node[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.textContent?.trim() !== "" && !node.parentElement?.closest(".fence-head, .link-host"))
      found.push(node);
  }
  return found;
}

/** Whether words before or after are selected too. The empty beginning of what follows often is. */
function reachesOut(content: Element, selected: Range): boolean {
  const before = selected.cloneRange();
  before.setEndBefore(content);
  const after = selected.cloneRange();
  after.setStartAfter(content);
  // A range whose end is set before its start is empty.
  return before.toString().trim() !== "" || after.toString().trim() !== "";
}
