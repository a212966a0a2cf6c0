/** A part of the page that is not needed at first: fetched once the page has nothing else to do, or when it is wanted. */

/** A page that is never idle has keys that wait for it, too. */
const LATEST_MS = 1_000;

export type MadeLater<Made> = Pick<Later<Made>, "use"> & {
  /** Does it if it was wanted before. */
  ifMade(work: (made: Made) => void): void;
};

export class Later<Part> {
  private part: Promise<Part> | undefined;
  private here: { part: Part } | undefined;
  private readonly waiting: ((part: Part) => void)[] = [];

  constructor(private readonly fetchPart: () => Promise<Part>) {
    whenIdle(() => this.use(() => {}), LATEST_MS);
  }

  get isHere(): boolean {
    return this.here !== undefined;
  }

  use(work: (part: Part) => void, failed?: () => void): void {
    this.part ??= this.fetchPart();
    const came = (part: Part) => {
      this.here = { part };
      for (const one of this.waiting.splice(0)) one(part);
      work(part);
    };
    this.part.then(came, () => {
      // The server is away, or another version of it is there; the page says both. The next one who wants it tries again.
      this.part = undefined;
      failed?.();
    });
  }

  /** Does it when the part has come, for whatever reason, or at once if it has. */
  whenHere(work: (part: Part) => void): void {
    if (this.here) work(this.here.part);
    else this.waiting.push(work);
  }

  /** Something that is made of it when it is first wanted, and kept. */
  make<Made>(create: (part: Part) => Made): MadeLater<Made> {
    let made: Made | undefined;
    return {
      ifMade: (work) => {
        if (made !== undefined) work(made);
      },
      use: (work, failed) =>
        this.use((part) => {
          made ??= create(part);
          work(made);
        }, failed),
    };
  }
}

/** Not every browser tells when it is idle. */
export function whenIdle(work: () => void, latestMs: number): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(() => work(), { timeout: latestMs });
  else setTimeout(work, latestMs);
}
