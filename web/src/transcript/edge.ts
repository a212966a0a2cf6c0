/** An end of what is shown where the session goes on: more is fetched as the reader comes near. */
import { button, element, setText } from "../dom/dom";

/** How near, in pixels: some screens, so that it is there before the reader is. */
const NEAR = "1600px 0px";

export class Edge {
  readonly root = element("div", "edge");
  private readonly ask: HTMLButtonElement;
  private readonly observer: IntersectionObserver;
  private isLoading = false;
  private hasFailed = false;

  constructor(
    box: HTMLElement,
    private readonly words: string,
    private readonly load: () => Promise<void>,
  ) {
    this.ask = button(words, "quiet", () => void this.go());
    this.root.append(this.ask);
    this.observer = new IntersectionObserver(([entry]) => this.seen(entry?.isIntersecting ?? false), {
      root: box,
      rootMargin: NEAR,
    });
    this.observer.observe(this.root);
  }

  show(isShown: boolean): void {
    this.root.hidden = !isShown;
  }

  /** The rows have changed: looks anew whether the reader is near. */
  look(): void {
    if (this.root.hidden) return;
    this.observer.unobserve(this.root);
    this.observer.observe(this.root);
  }

  private seen(isNear: boolean): void {
    // What failed is tried again by hand: by itself it would go on without end.
    if (isNear && !this.hasFailed) void this.go();
  }

  private async go(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      await this.load();
      this.hasFailed = false;
    } catch {
      this.hasFailed = true;
    } finally {
      this.isLoading = false;
      setText(this.ask, this.hasFailed ? `${this.words}: that did not work. Try again` : this.words);
      // The rows come with the next frame; only then it can be seen whether that was enough.
      requestAnimationFrame(() => requestAnimationFrame(() => !this.hasFailed && this.look()));
    }
  }
}
