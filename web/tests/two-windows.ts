/** Two windows of one browser: they share what is kept, and each hears of what the other one wrote. */
import type { StoreEvents, TextStore } from "../src/compose/kept-text";

export type TestWindow = { store: TextStore; events: StoreEvents & EventTarget };

export function twoWindows(): [TestWindow, TestWindow] {
  const kept = new Map<string, string>();
  const events = [new EventTarget(), new EventTarget()] as [EventTarget, EventTarget];
  const windowOf = (own: EventTarget, other: EventTarget): TestWindow => {
    const tell = (key: string, newValue: string | null) =>
      other.dispatchEvent(Object.assign(new Event("storage"), { key, newValue }));
    const store: TextStore = {
      get length() {
        return kept.size;
      },
      key: (at) => [...kept.keys()][at] ?? null,
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, text) => {
        kept.set(name, text);
        tell(name, text);
      },
      removeItem: (name) => {
        if (kept.delete(name)) tell(name, null);
      },
    };
    return { store, events: own as TestWindow["events"] };
  };
  return [windowOf(events[0], events[1]), windowOf(events[1], events[0])];
}
