/** Runs work once per frame, however often it is asked for; at most once a second while nobody looks. */
const HIDDEN_MS = 1_000;

export class NextFrame {
  private frame: number | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly work: () => void) {
    document.addEventListener("visibilitychange", () => this.plan(this.waits));
  }

  ask(): void {
    this.plan(!this.waits);
  }

  /** For who acts on what is in sight: what was asked for is done before the frame. */
  now(): void {
    if (this.waits) this.run();
  }

  private get waits(): boolean {
    return this.frame !== undefined || this.timer !== undefined;
  }

  /** A hidden page gets no animation frames, and it must not fall behind without bound; one that is looked at must not wait. */
  private plan(wanted: boolean): void {
    if (!wanted) return;
    this.forget();
    if (document.hidden) this.timer = setTimeout(this.run, HIDDEN_MS);
    else this.frame = requestAnimationFrame(this.run);
  }

  private forget(): void {
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = undefined;
    this.timer = undefined;
  }

  private readonly run = (): void => {
    this.forget();
    this.work();
  };
}
