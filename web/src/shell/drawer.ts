/**
 * The sidebar on narrow screens: above the page, which cannot be used meanwhile. Esc, the area beside it and the way back close it.
 *
 * Opening it is a step of the browser's history, so that the way back on a phone closes it instead of leaving; whatever else
 * closes it takes that step back, and a link in it takes its place.
 */

import { element } from "../dom/dom";
import { isDialogOpen } from "../dom/is-dialog-open";

const NARROW = "(width < 48rem)";

export class Drawer {
  readonly scrim = element("div", "scrim");
  private readonly narrow = matchMedia(NARROW);
  private before: Element | null = null;

  constructor(
    private readonly panel: HTMLElement,
    private readonly behind: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.scrim.hidden = true;
    panel.dataset.expanded = "false";
    // A reload closes it, and with it the step is none any more.
    if (isStep()) history.replaceState(null, "");
    this.scrim.addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => this.closeByKey(event));
    panel.addEventListener("click", (event) => this.linkClicked(event));
    window.addEventListener("popstate", () => {
      if (this.isOpen && !isStep()) this.fold();
    });
    this.narrow.addEventListener("change", () => this.isOpen && this.close());
  }

  get isNarrow(): boolean {
    return this.narrow.matches;
  }

  get isOpen(): boolean {
    return this.panel.dataset.expanded === "true";
  }

  /** Asked for by the reader it is a step to come back from; by itself, where there is nothing else to see, it is not. */
  open(isStepBack: boolean): void {
    if (this.isOpen || !this.isNarrow) return;
    if (isStepBack) history.pushState({ drawer: true }, "");
    this.before = document.activeElement;
    this.panel.dataset.expanded = "true";
    this.scrim.hidden = false;
    this.behind.inert = true;
    this.panel.focus();
    this.changed();
  }

  close(): void {
    if (!this.isOpen) return;
    this.fold();
    if (isStep()) history.back();
  }

  /** The page shows something else now. */
  leave(): void {
    if (this.isOpen) this.fold();
  }

  private fold(): void {
    this.panel.dataset.expanded = "false";
    this.scrim.hidden = true;
    this.behind.inert = false;
    if (this.before instanceof HTMLElement && this.before.isConnected) this.before.focus();
    this.before = null;
    this.changed();
  }

  /** Whatever in it has the focus, or nothing: to the page behind it Esc would mean to stop what runs. */
  private closeByKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented || !this.isOpen || isDialogOpen()) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  }

  private linkClicked(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#']");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!this.isOpen || !link || !isPlain) return;
    if (isStep()) {
      event.preventDefault();
      location.replace(link.hash);
    }
    this.fold();
  }
}

function isStep(): boolean {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "drawer" in state;
}
