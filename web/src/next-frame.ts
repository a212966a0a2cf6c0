/** Runs work once per frame, however often it is asked for; at most once a second while nobody looks. */
const HIDDEN_MS = 1_000;

export class NextFrame {
  private waiting = false;

  constructor(private readonly work: () => void) {}

  ask(): void {
    if (this.waiting) return;
    this.waiting = true;
    // A hidden page gets no animation frames, and it must not fall behind without bound.
    if (document.hidden) setTimeout(this.run, HIDDEN_MS);
    else requestAnimationFrame(this.run);
  }

  private readonly run = (): void => {
    this.waiting = false;
    this.work();
  };
}
