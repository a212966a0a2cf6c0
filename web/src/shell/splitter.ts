/** The line between sidebar and view, to be dragged or moved by keys. */
import { element } from "../dom/dom";
import { KeptValue } from "../dom/kept-value";
import {
  allowedWidth,
  DEFAULT_WIDTH,
  MIN_WIDTH,
  maxWidth,
  readWidth,
  STEP,
  widthByKey,
} from "./sidebar-width";

export class Splitter {
  readonly root = element("div", "splitter");
  private readonly kept = new KeptValue("liminal:sidebar-width", readWidth);

  /** `frame` is what has the width as `--sidebar-width`. */
  constructor(private readonly frame: HTMLElement) {
    this.root.role = "separator";
    this.root.tabIndex = 0;
    this.root.ariaOrientation = "vertical";
    this.root.setAttribute("aria-label", "Width of the sidebar");
    this.root.setAttribute("aria-controls", "sidebar");
    this.root.title = "Drag to resize, double click to reset";
    this.root.addEventListener("pointerdown", (event) => this.grabbed(event));
    this.root.addEventListener("dblclick", () => this.reset());
    this.root.addEventListener("keydown", (event) => this.keyPressed(event));
    window.addEventListener("resize", () => this.show());
    this.show();
  }

  /** As its keys do, from wherever they are pressed. */
  step(by: -1 | 1): void {
    this.keep(this.width + by * STEP);
  }

  reset(): void {
    this.keep(DEFAULT_WIDTH);
  }

  private get width(): number {
    return allowedWidth(this.kept.value, innerWidth);
  }

  private grabbed(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.root.focus();
    const from = this.width - event.clientX;
    const moved = ({ clientX }: PointerEvent) => this.keep(from + clientX);
    this.root.setPointerCapture(event.pointerId);
    this.frame.dataset.resizing = "true";
    this.root.addEventListener("pointermove", moved);
    this.root.addEventListener(
      "lostpointercapture",
      () => {
        this.root.removeEventListener("pointermove", moved);
        delete this.frame.dataset.resizing;
      },
      { once: true },
    );
  }

  private keyPressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const width = widthByKey(this.width, event, innerWidth);
    if (width === undefined) return;
    event.preventDefault();
    this.keep(width);
  }

  private keep(width: number): void {
    this.kept.set(allowedWidth(width, innerWidth));
    this.show();
  }

  private show(): void {
    this.frame.style.setProperty("--sidebar-width", `${this.width}px`);
    this.root.ariaValueNow = String(this.width);
    this.root.ariaValueMin = String(MIN_WIDTH);
    this.root.ariaValueMax = String(maxWidth(innerWidth));
  }
}
