/** Things that one window has in its hands. Another one gets them as soon as it lets go, or is closed, or crashes. */

export type Locks = Pick<LockManager, "request">;

/** What their names begin with. */
export const HELD = "liminal-held ";

export class WindowLocks {
  private readonly held = new Map<string, () => void>();
  private readonly awaited = new Set<string>();

  /** Without locks, as on pages that are not secure, nobody else ever gets anything. */
  constructor(private readonly locks: Locks | undefined = globalThis.navigator?.locks) {}

  has(name: string): boolean {
    return this.held.has(name);
  }

  /** Calls once this window has it: browsers take their time, and a request that is made later may overtake this one. */
  take(name: string, taken: () => void): void {
    if (this.held.has(name)) return;
    const over = new Promise<void>((done) => this.held.set(name, done));
    void this.locks?.request(HELD + name, () => {
      taken();
      return over;
    });
  }

  letGo(name: string): void {
    this.held.get(name)?.();
    this.held.delete(name);
  }

  /** Calls once whoever has it has it no more. */
  whenFree(name: string, free: () => void): void {
    if (this.awaited.has(name)) return;
    this.awaited.add(name);
    void this.locks?.request(HELD + name, () => {
      this.awaited.delete(name);
      free();
    });
  }
}
