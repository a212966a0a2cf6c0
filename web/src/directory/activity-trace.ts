/** How much happened lately, in steps of a few seconds. Pure: time is an argument, in milliseconds. */

const STEP_MS = 5_000;
/** Two minutes. */
export const STEPS = 24;

export class ActivityTrace {
  private readonly counts = new Array<number>(STEPS).fill(0);
  /** The step that the last count is of. */
  private last = 0;

  note(now: number): void {
    this.advance(now);
    this.counts[STEPS - 1] = (this.counts[STEPS - 1] ?? 0) + 1;
  }

  /** The oldest step first. */
  steps(now: number): readonly number[] {
    this.advance(now);
    return this.counts;
  }

  private advance(now: number): void {
    const step = Math.floor(now / STEP_MS);
    const passed = Math.min(Math.max(step - this.last, 0), STEPS);
    this.last = Math.max(step, this.last);
    for (let n = 0; n < passed; n += 1) {
      this.counts.shift();
      this.counts.push(0);
    }
  }
}
