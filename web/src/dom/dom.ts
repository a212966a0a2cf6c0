/** Elements without markup text: nothing on this page is ever parsed as HTML. */
export type Child = Node | string;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

export function button(label: string, className: string, pressed: () => void): HTMLButtonElement {
  const made = element("button", `button ${className}`.trim(), label);
  made.type = "button";
  made.addEventListener("click", pressed);
  return made;
}

/** Sets text only when it differs, so that selections and screen readers are left alone. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** Makes these the children, in this order. What is in its place already is not touched: it keeps focus and selection. */
export function arrange(parent: Element, wanted: Element[]): void {
  keepFocus(parent, () => {
    const kept = new Set(wanted);
    for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
    let place = parent.firstElementChild;
    for (const child of wanted) {
      if (child === place) place = place.nextElementSibling;
      else parent.insertBefore(child, place);
    }
  });
}

/** An element that is moved loses the focus on the way: if it is still in there afterwards, it gets it back. */
export function keepFocus(within: Element, move: () => void): void {
  const focused = document.activeElement;
  move();
  if (focused instanceof HTMLElement && focused !== document.activeElement && within.contains(focused))
    focused.focus({ preventScroll: true });
}
