/** How someone wants the page to look and to tell things. Kept by the browser, read with care: anyone may write there. */
import { browserStore, type TextStore } from "../compose/kept-text";

/** What each may be; the first is what it is when nothing was chosen. */
export const CHOICES = {
  theme: ["system", "light", "dark"],
  contrast: ["normal", "high"],
  textSize: ["normal", "small", "large"],
  density: ["comfortable", "compact"],
  motion: ["system", "reduced"],
  enterSends: [true, false],
  sound: [false, true],
  saysTools: [false, true],
  notifications: [false, true],
} as const;

export type PreferenceName = keyof typeof CHOICES;
export type Preferences = { [Name in PreferenceName]: (typeof CHOICES)[Name][number] };
export type PreferencesListener = (preferences: Preferences) => void;

/** The one place in the browser's store; other tabs tell of changes by it. */
export const KEPT_AS = "liminal-preferences";

/** What was kept, as far as it is understood; the rest is as if nothing was chosen. */
export function readPreferences(kept: string | null): Preferences {
  const found = parsed(kept);
  const names = Object.keys(CHOICES) as PreferenceName[];
  return Object.fromEntries(names.map((name) => [name, validated(name, found[name])])) as Preferences;
}

function validated(name: PreferenceName, value: unknown): unknown {
  const choices: readonly unknown[] = CHOICES[name];
  return choices.includes(value) ? value : choices[0];
}

function parsed(kept: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(kept ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export class PreferenceStore {
  private now: Preferences;
  private readonly listeners = new Set<PreferencesListener>();

  constructor(private readonly store: TextStore) {
    this.now = readPreferences(kept(store));
  }

  get all(): Preferences {
    return this.now;
  }

  /** Whether Enter sends a message; otherwise it begins a new line, and Ctrl+Enter sends. */
  get enterSends(): boolean {
    return this.now.enterSends;
  }

  set(change: Partial<Preferences>): void {
    this.become({ ...this.now, ...change });
    try {
      this.store.setItem(KEPT_AS, JSON.stringify(this.now));
    } catch {
      // Forbidden or full: then it lasts as long as the page.
    }
  }

  /** Another tab wrote them. */
  changedElsewhere(text: string | null): void {
    this.become(readPreferences(text));
  }

  /** Called with what they are now, and after every change. */
  follow(listener: PreferencesListener): void {
    this.listeners.add(listener);
    listener(this.now);
  }

  private become(next: Preferences): void {
    this.now = next;
    for (const listener of this.listeners) listener(next);
  }
}

function kept(store: TextStore): string | null {
  try {
    return store.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

/** Those of this browser. */
export const preferences = new PreferenceStore(browserStore());
