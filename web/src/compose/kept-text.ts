/** Small texts that outlive a reload. Where the reader forbids storage they live as long as the page. */
export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const NOTHING: TextStore = {
  length: 0,
  key: () => null,
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/** What the browser keeps for this page, if the reader lets it. */
export function browserStore(): TextStore {
  try {
    return localStorage;
  } catch {
    return NOTHING;
  }
}

export class KeptTexts {
  private readonly texts: Map<string, string>;

  constructor(
    private readonly prefix: string,
    private readonly store: TextStore,
  ) {
    this.texts = new Map(stored(prefix, store));
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
    attempt(() => this.store.setItem(this.prefix + name, text));
  }

  delete(name: string): void {
    this.texts.delete(name);
    attempt(() => this.store.removeItem(this.prefix + name));
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

/** Storage may be forbidden or full; then a text is not kept, and nothing else is wrong. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It lives as long as the page.
  }
}
