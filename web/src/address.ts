/** Follows the address. The browser tells of a change later than it happens, and a key may be pressed in between. */
export class Address {
  private followed: string | undefined;

  constructor(private readonly follow: () => void) {}

  start(): void {
    window.addEventListener("hashchange", () => this.take());
    this.take();
  }

  /** What is done now is meant for what the address names now. Tells whether that was news. */
  catchUp(): boolean {
    if (location.hash === this.followed) return false;
    this.take();
    return true;
  }

  private take(): void {
    this.followed = location.hash;
    this.follow();
  }
}
