/** Two windows of one browser: they share what is kept, and each hears of what the other one wrote. */
import type { StoreEvents, TextStore } from "../src/compose/kept-text";
import type { Locks } from "../src/server/window-locks";

export type TestWindow = { store: TextStore; events: StoreEvents & EventTarget; locks: Locks; close(): void };

export function twoWindows(): [TestWindow, TestWindow] {
  const kept = new Map<string, string>();
  const queues = new Map<string, Promise<unknown>>();
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
    return { store, events: own as TestWindow["events"], ...browserLocks(queues) };
  };
  return [windowOf(events[0], events[1]), windowOf(events[1], events[0])];
}

/** First come, first served; what a window holds or waits for goes with it. */
function browserLocks(queues: Map<string, Promise<unknown>>): Pick<TestWindow, "locks" | "close"> {
  let close = () => {};
  let isClosed = false;
  const closed = new Promise<void>((done) => {
    close = () => {
      isClosed = true;
      done();
    };
  });
  const request = (name: string, granted: () => Promise<void> | void): Promise<unknown> => {
    const before = queues.get(name) ?? Promise.resolve();
    const turn = before.then(() => (isClosed ? undefined : Promise.race([granted(), closed])));
    queues.set(name, turn);
    return turn;
  };
  return { locks: { request } as Locks, close: () => close() };
}
