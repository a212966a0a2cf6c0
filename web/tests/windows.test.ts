import { describe, expect, test } from "vitest";
import { KeptTexts } from "../src/compose/kept-text";
import { PromptHistory } from "../src/compose/prompt-history";
import { Outbox, type Outgoing } from "../src/server/outbox";
import { WindowLocks } from "../src/server/window-locks";
import { twoWindows } from "./two-windows";

function texts(): [KeptTexts, KeptTexts] {
  const [a, b] = twoWindows();
  return [new KeptTexts("d ", a.store, a.events), new KeptTexts("d ", b.store, b.events)];
}

test("what one window writes or forgets, the other one follows", () => {
  const [here, there] = texts();
  const heard: string[] = [];
  there.follow((name) => heard.push(name));
  here.set("s", "a draft");
  expect(there.get("s")).toBe("a draft");
  there.set("s", "a draft that goes on");
  expect(here.get("s")).toBe("a draft that goes on");
  here.delete("s");
  expect(there.get("s")).toBeUndefined();
  expect(heard).toEqual(["s", "s"]);
});

test("texts of another kind are not heard of", () => {
  const [a, b] = twoWindows();
  const here = new KeptTexts("other ", a.store, a.events);
  const there = new KeptTexts("d ", b.store, b.events);
  here.set("s", "x");
  expect(there.entries()).toEqual([]);
});

test("a change is made to what is kept, not to what was known", () => {
  const [a] = twoWindows();
  const deaf = new KeptTexts("d ", a.store, { addEventListener: () => {} });
  a.store.setItem("d s", "theirs");
  deaf.change("s", (text) => `mine, ${text}`);
  expect(a.store.getItem("d s")).toBe("mine, theirs");
});

test("prompts of both windows are remembered", () => {
  const [here, there] = texts();
  new PromptHistory(here).remember("s", "one");
  new PromptHistory(there).remember("s", "two");
  expect(new PromptHistory(here).of("s", [])).toEqual(["one", "two"]);
});

function outboxes(): [Outbox, Outbox] {
  const [a, b] = twoWindows();
  const boxes: [Outbox, Outbox] = [new Outbox(a.store, a.events), new Outbox(b.store, b.events)];
  for (const box of boxes) box.follow(() => {});
  return boxes;
}

const written = (clientMessageId: string, writtenAt: number): Outgoing => ({
  sessionId: "s",
  clientMessageId,
  content: clientMessageId,
  writtenAt,
});
const ids = (messages: Outgoing[]) => messages.map(({ clientMessageId }) => clientMessageId);

test("messages that wait are known in every window, in their order", () => {
  const [here, there] = outboxes();
  there.add(written("b", 2));
  here.add(written("a", 1));
  expect(ids(here.sendable())).toEqual(["a", "b"]);
  expect(ids(there.sendable())).toEqual(["a", "b"]);
  here.tried("a");
  expect(there.all()[0]?.isTried).toBe(true);
  here.take("a");
  expect(ids(there.all())).toEqual(["b"]);
});

test("what is being changed in one window is not sent by the other one", () => {
  const [here, there] = outboxes();
  here.add(written("a", 1));
  there.add(written("b", 2));
  here.hold("a", true);
  expect(there.sendable()).toEqual([]);
  here.change("a", { content: "better" });
  expect(there.sendable()).toEqual([]);
  here.hold("a", false);
  expect(there.sendable().map(({ content }) => content)).toEqual(["better", "b"]);
});

test("images stay with their window, and their message too, until a reload", () => {
  const [a, b] = twoWindows();
  const [here, there] = [new Outbox(a.store, a.events), new Outbox(b.store, b.events)];
  there.follow(() => {});
  here.add({ ...written("a", 1), imageNames: ["a.png"] }, [{ name: "a.png" } as File]);
  expect(there.all()).toEqual([]);
  expect(ids(here.sendable())).toEqual(["a"]);
  here.hold("a", true);
  expect(ids(new Outbox(b.store, b.events).all())).toEqual(["a"]);
});

describe("a message that was being changed", () => {
  function held() {
    const windows = twoWindows();
    const [here, there] = windows.map(({ store, events, locks }) => {
      return new Outbox(store, events, new WindowLocks(locks));
    }) as [Outbox, Outbox];
    const heard: string[] = [];
    there.follow((name) => heard.push(name));
    here.follow(() => {});
    here.add(written("a", 1));
    here.add(written("b", 2));
    here.hold("a", true);
    return { windows, here, there, heard };
  }
  const settled = () => new Promise((done) => setTimeout(done));

  test("is sent by another window when the one that had it is closed", async () => {
    const { windows, there, heard } = held();
    await settled();
    expect(there.sendable()).toEqual([]);
    heard.length = 0;
    windows[0].close();
    await settled();
    expect(ids(there.sendable())).toEqual(["a", "b"]);
    expect(heard).toEqual(["a"]);
  });

  test("is not taken by a window whose request overtakes that of the one that has it", async () => {
    const [a, b] = twoWindows();
    const slow = {
      request: async (name: string, granted: () => Promise<void>) => {
        await settled();
        return a.locks.request(name, granted);
      },
    } as typeof a.locks;
    const here = new Outbox(a.store, a.events, new WindowLocks(slow));
    const there = new Outbox(b.store, b.events, new WindowLocks(b.locks));
    there.follow(() => {});
    here.add(written("a", 1));
    here.hold("a", true);
    for (let turn = 0; turn < 5; turn += 1) await settled();
    expect(there.sendable()).toEqual([]);
    a.close();
    await settled();
    expect(ids(there.sendable())).toEqual(["a"]);
  });

  test("is not taken from the one that goes on with it", async () => {
    const { here, there } = held();
    here.hold("a", false);
    there.hold("a", true);
    await settled();
    expect(here.sendable()).toEqual([]);
    expect(there.sendable()).toEqual([]);
    there.hold("a", false);
    await settled();
    expect(ids(here.sendable())).toEqual(["a", "b"]);
  });
});
