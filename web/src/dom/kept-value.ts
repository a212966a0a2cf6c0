/** One value that outlives a reload, kept as JSON. What cannot be read counts as nothing: it may be old or of somebody else. */
import { browserStore, type TextStore } from "../compose/kept-text";

export class KeptValue<Value> {
  private current: Value;

  constructor(
    private readonly key: string,
    /** Makes a value of whatever was kept, or of nothing. */
    private readonly read: (kept: unknown) => Value,
    private readonly write: (value: Value) => unknown = (value) => value,
    private readonly store: Pick<TextStore, "getItem" | "setItem"> = browserStore(),
  ) {
    this.current = this.stored();
  }

  get value(): Value {
    return this.current;
  }

  set(value: Value): void {
    this.current = value;
    try {
      this.store.setItem(this.key, JSON.stringify(this.write(value)));
    } catch {
      // Storage may be forbidden or full: then it lives as long as the page.
    }
  }

  /** Changes what other windows of this page may have changed meanwhile. */
  change(next: (value: Value) => Value): void {
    const kept = this.text();
    this.set(next(kept === null ? this.current : this.stored()));
  }

  /** Calls when another window changes it. */
  follow(changed: () => void): void {
    window.addEventListener("storage", ({ key }) => {
      if (key !== this.key) return;
      this.current = this.stored();
      changed();
    });
  }

  private stored(): Value {
    try {
      return this.read(JSON.parse(this.text() ?? "null"));
    } catch {
      return this.read(undefined);
    }
  }

  private text(): string | null {
    try {
      return this.store.getItem(this.key);
    } catch {
      return null;
    }
  }
}

export function keptTexts(kept: unknown): string[] {
  return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
}

export function keptRecord(kept: unknown): Record<string, unknown> {
  return typeof kept === "object" && kept !== null && !Array.isArray(kept) ? { ...kept } : {};
}
