/** A menu above the page: beside what it is about, or from below on a phone. The browser closes it by Esc and by a click elsewhere. */
import { keysView } from "../commands/keys-view";
import { element } from "../dom/dom";

/** `keys` is the chord that does the same. */
export type MenuItem = { label: string; keys?: string; isGrave?: boolean; run(): void };
export type MenuPlace = { left: number; right: number; top: number; bottom: number };

const GAP = 4;

export class ActionMenu {
  readonly root = element("div", "menu");
  private anchor: Element | undefined;
  private closedAt = -1;

  constructor() {
    this.root.popover = "auto";
    this.root.role = "menu";
    this.root.addEventListener("keydown", (event) => this.keyPressed(event));
    this.root.addEventListener("toggle", () => {
      if (!this.isOpen) this.closedAt = performance.now();
    });
  }

  get isOpen(): boolean {
    return this.root.matches(":popover-open");
  }

  open(
    name: string,
    items: MenuItem[],
    anchor: Element,
    place: MenuPlace = anchor.getBoundingClientRect(),
  ): void {
    // The click on the button that opened it has closed it already.
    const closes = this.anchor === anchor && performance.now() - this.closedAt < 200;
    this.closedAt = -1;
    if (closes) return;
    this.anchor = anchor;
    this.root.setAttribute("aria-label", name);
    this.root.replaceChildren(element("p", "menu-name", name), ...items.map((item) => this.itemOf(item)));
    this.root.showPopover();
    this.put(place);
    this.items[0]?.focus();
  }

  private itemOf({ label, keys, isGrave, run }: MenuItem): HTMLElement {
    const made = element("button", "menu-item", element("span", "", label));
    if (keys !== undefined) made.append(keysView(keys));
    made.type = "button";
    made.role = "menuitem";
    made.tabIndex = -1;
    made.dataset.grave = String(isGrave ?? false);
    made.addEventListener("click", () => {
      this.root.hidePopover();
      run();
    });
    return made;
  }

  private put({ right, top, bottom }: MenuPlace): void {
    const { width, height } = this.root.getBoundingClientRect();
    const left = Math.max(GAP, Math.min(right - width, innerWidth - width - GAP));
    const fitsBelow = bottom + GAP + height <= innerHeight;
    const place = fitsBelow ? bottom + GAP : Math.max(GAP, top - GAP - height);
    this.root.style.setProperty("--menu-left", `${left}px`);
    this.root.style.setProperty("--menu-top", `${place}px`);
  }

  private get items(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>("[role=menuitem]")];
  }

  private keyPressed(event: KeyboardEvent): void {
    const { items } = this;
    const at = items.indexOf(document.activeElement as HTMLElement);
    const last = items.length - 1;
    const to = { ArrowDown: at < last ? at + 1 : 0, ArrowUp: at > 0 ? at - 1 : last, Home: 0, End: last }[
      event.key
    ];
    if (event.key === "Tab") this.root.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    items[to]?.focus();
  }
}
