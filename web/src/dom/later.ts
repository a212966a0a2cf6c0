/** A part of the page that is not needed at first: fetched once the page has nothing else to do, or when it is wanted. */

export class Later<Part> {
  private part: Promise<Part> | undefined;

  constructor(private readonly fetchPart: () => Promise<Part>) {
    whenIdle(() => this.use(() => {}));
  }

  use(work: (part: Part) => void): void {
    this.part ??= this.fetchPart();
    this.part.then(work, () => {
      // The server is away, or another version of it is there; the page says both. The next one who wants it tries again.
      this.part = undefined;
    });
  }
}

/** Not every browser tells when it is idle. */
function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work);
  else setTimeout(work, 1_000);
}
