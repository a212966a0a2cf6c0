/** What a reader likes, kept in the browser: yes or no, with a name. */
import { browserStore, KeptTexts } from "../compose/kept-text";

const kept = new KeptTexts("liminal-view ", browserStore());

export type Preference = { get(): boolean; set(value: boolean): void };

export function preference(name: string, byDefault = false): Preference {
  return {
    get: () => (kept.get(name) ?? (byDefault ? "yes" : "no")) === "yes",
    set: (value) => kept.set(name, value ? "yes" : "no"),
  };
}
