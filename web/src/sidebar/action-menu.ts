/** A menu above the page: beside what it is about, or from below on a phone. Esc and a click elsewhere close it. */
import { keysView } from "../commands/keys-view";
import { element } from "../dom/dom";

/** `keys` is the chord that does the same. */
export type MenuItem = { label: string; keys?: string; isGrave?: boolean; run(): void };
export type MenuPlace = { left: number; right: number; top: number; bottom: number };

const GAP = 4;

export class ActionMenu {
  readonly root = element("div", "menu");
  private anchor: Element | undefined;
  /** Whether the press that is going on closes it: then it must not open it again. */
  private closes = false;

  constructor() {
    this.root.popover = "auto";
    this.root.role = "menu";
    this.root.addEventListener("keydown", (event) => this.keyPressed(event));
    const pressed = ({ target }: Event) => {
      this.closes = this.isOpen && target instanceof Node && this.anchor?.contains(target) === true;
    };
    document.addEventListener("pointerdown", pressed, { capture: true });
    // Before anyone else: to the page Esc means to stop what runs.
    document.addEventListener("keydown", (event) => this.closeByKey(event), { capture: true });
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
    const { closes } = this;
    this.closes = false;
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

  private closeByKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    this.root.hidePopover();
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
