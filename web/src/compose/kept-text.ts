/** Small texts that outlive a reload. Where the reader forbids storage they live as long as the page. */
export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const NOTHING: TextStore = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/** What the browser keeps for this page, or for this window of it, if the reader lets it. */
export function browserStore(place: "localStorage" | "sessionStorage" = "localStorage"): TextStore {
  try {
    return globalThis[place] ?? NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Earlier prompts: the first to go when the browser keeps no more, for what is being written counts more. */
export const PROMPTS = "liminal-prompts ";

/** Where a window hears of what others keep. */
export type StoreEvents = Pick<Window, "addEventListener">;

/** All windows of the page have the same texts: what one writes or forgets, the others follow. */
export class KeptTexts {
  private readonly texts: Map<string, string>;
  private readonly followers: ((name: string) => void)[] = [];

  constructor(
    private readonly prefix: string,
    private readonly store: TextStore,
    /** None for what is of this window alone. */
    events: StoreEvents | null | undefined = globalThis.window,
  ) {
    this.texts = new Map(stored(prefix, store));
    events?.addEventListener("storage", ({ key, newValue }) => this.changedElsewhere(key, newValue));
  }

  /** Calls with the name of a text that another window changed or forgot. */
  follow(changed: (name: string) => void): void {
    this.followers.push(changed);
  }

  /** All of them, by their names. */
  entries(): [string, string][] {
    return [...this.texts];
  }

  get(name: string): string | undefined {
    return this.texts.get(name);
  }

  set(name: string, text: string): void {
    this.texts.set(name, text);
    attempt(() => keep(this.store, this.prefix + name, text));
  }

  /** Changes what another window may have changed a moment ago. */
  change(name: string, next: (text: string) => string): void {
    let kept: string | null = null;
    attempt(() => {
      kept = this.store.getItem(this.prefix + name);
    });
    this.set(name, next(kept ?? this.get(name) ?? ""));
  }

  delete(name: string): void {
    this.texts.delete(name);
    attempt(() => this.store.removeItem(this.prefix + name));
  }

  private changedElsewhere(key: string | null, text: string | null): void {
    if (!key?.startsWith(this.prefix)) return;
    const name = key.slice(this.prefix.length);
    if (text === null) this.texts.delete(name);
    else this.texts.set(name, text);
    for (const changed of this.followers) changed(name);
  }
}

function stored(prefix: string, store: TextStore): [string, string][] {
  const found: [string, string][] = [];
  attempt(() => {
    for (let at = 0; at < store.length; at += 1) {
      const key = store.key(at);
      const text = key?.startsWith(prefix) ? store.getItem(key) : null;
      if (key !== null && text !== null) found.push([key.slice(prefix.length), text]);
    }
  });
  return found;
}

function keep(store: TextStore, key: string, text: string): void {
  try {
    store.setItem(key, text);
  } catch {
    for (const [name] of stored(PROMPTS, store)) store.removeItem(PROMPTS + name);
    store.setItem(key, text);
  }
}

/** Storage may be forbidden or full; then a text is not kept, and nothing else is wrong. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It lives as long as the page.
  }
}
