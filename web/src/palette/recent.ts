/** What was chosen in the palette lately, kept by the browser. */
import type { TextStore } from "../compose/kept-text";
import { withChoice } from "./entries";

const KEPT_AS = "liminal-palette-recent";

export class Recent {
  private now: readonly string[] | undefined;

  constructor(private readonly store: TextStore) {}

  get ids(): readonly string[] {
    this.now ??= this.read();
    return this.now;
  }

  chose(id: string): void {
    this.now = withChoice(this.ids, id);
    try {
      this.store.setItem(KEPT_AS, JSON.stringify(this.now));
    } catch {
      // Forbidden or full: then it lasts as long as the page.
    }
  }

  private read(): readonly string[] {
    try {
      const kept: unknown = JSON.parse(this.store.getItem(KEPT_AS) ?? "[]");
      return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
    } catch {
      return [];
    }
  }
}
