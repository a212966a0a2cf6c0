import { expect, test } from "vitest";
import { KeptTexts, type TextStore } from "../src/compose/kept-text";
import { Outbox } from "../src/server/outbox";

/** A browser's storage. */
function storage(): TextStore & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}

const forbidden: TextStore = {
  get length(): number {
    throw new Error("forbidden");
  },
  key: () => null,
  getItem: () => null,
  setItem: () => {
    throw new Error("full");
  },
  removeItem: () => {},
};

function written(clientMessageId: string, writtenAt: number, sessionId = "s") {
  return { sessionId, clientMessageId, content: `text of ${clientMessageId}`, writtenAt };
}

test("messages outlive a reload, in the order in which they were written", () => {
  const store = storage();
  const before = new Outbox(store);
  before.add(written("b", 1));
  before.add(written("a", 2));
  before.add(written("c", 3, "other"));
  const after = new Outbox(store);
  expect(after.all()).toEqual(before.all());
  expect(after.of("s").map(({ clientMessageId }) => clientMessageId)).toEqual(["b", "a"]);
});

test("a message that was taken out is gone for good", () => {
  const store = storage();
  const outbox = new Outbox(store);
  outbox.add(written("a", 1));
  expect(outbox.take("a")?.content).toBe("text of a");
  expect(outbox.take("a")).toBeUndefined();
  expect(new Outbox(store).all()).toEqual([]);
  expect(store.kept.size).toBe(0);
});

test("tabs do not write over each other's messages", () => {
  const store = storage();
  const tabs = [new Outbox(store), new Outbox(store)] as const;
  tabs[0].add(written("a", 1));
  tabs[1].add(written("b", 2));
  tabs[0].take("a");
  expect(new Outbox(store).all()).toMatchObject([{ clientMessageId: "b" }]);
});

test.each(["", "null", "{}", '{"sessionId":1}', "["])("what is no message is passed over: %s", (text) => {
  const store = storage();
  store.setItem("liminal-outbox x", text);
  expect(new Outbox(store).all()).toEqual([]);
});

test("without storage everything works for as long as the page lives", () => {
  const outbox = new Outbox(forbidden);
  outbox.add(written("a", 1));
  expect(outbox.of("s")).toHaveLength(1);
  const texts = new KeptTexts("drafts ", forbidden);
  texts.set("s", "draft");
  expect(texts.get("s")).toBe("draft");
});

test("texts of another kind are left alone", () => {
  const store = storage();
  store.setItem("liminal-page-key", "key");
  new KeptTexts("liminal-draft ", store).set("s", "draft");
  expect(new KeptTexts("liminal-draft ", store).entries()).toEqual([["s", "draft"]]);
  expect(store.getItem("liminal-page-key")).toBe("key");
});

test("what is being changed holds back itself and what comes after it in its session", () => {
  const outbox = new Outbox(storage());
  for (const id of ["a", "b", "c"]) outbox.add(written(id, 1));
  outbox.add(written("other", 1, "t"));
  outbox.hold("b", true);
  const ids = () => outbox.sendable().map(({ clientMessageId }) => clientMessageId);
  expect(ids()).toEqual(["a", "other"]);
  outbox.change("b", { content: "changed" });
  outbox.hold("b", false);
  expect(ids()).toEqual(["a", "b", "c", "other"]);
  expect(outbox.of("s")[1]?.content).toBe("changed");
});

/** Where images are kept; nothing is found before `answer`. */
function imageFiles() {
  const kept = new Map<string, File[]>();
  const asked: (() => void)[] = [];
  return {
    kept,
    keep: (name: string, files: File[]) =>
      void (files.length === 0 ? kept.delete(name) : kept.set(name, files)),
    find: (name: string, found: (files: File[]) => void) =>
      void asked.push(() => found(kept.get(name) ?? [])),
    answer: () => {
      for (const one of asked.splice(0)) one();
    },
  };
}

test("a message gets its images back after a reload, and is not sent without them before", () => {
  const [store, files] = [storage(), imageFiles()];
  const image = { name: "a.png" } as File;
  const before = new Outbox(store, undefined, undefined, files);
  before.add({ ...written("a", 1), imageNames: ["a.png"] }, [image]);
  const after = new Outbox(store, undefined, undefined, files);
  const [message] = after.all();
  let brought = 0;
  after.bringImages(() => {
    brought += 1;
  });
  expect(after.sendable()).toEqual([]);
  expect(message && after.lacksImages(message), "not known yet").toBe(false);
  files.answer();
  expect(brought).toBe(1);
  expect(after.imagesOf("a")).toEqual([image]);
  expect(after.sendable()).toHaveLength(1);
  after.take("a");
  expect(files.kept.size, "nothing is kept of what arrived").toBe(0);
});

test("a message whose images are kept nowhere says so once they were looked for", () => {
  const [store, files] = [storage(), imageFiles()];
  new Outbox(store).add({ ...written("a", 1), imageNames: ["a.png"] }, [{ name: "a.png" } as File]);
  const after = new Outbox(store, undefined, undefined, files);
  after.bringImages(() => {});
  files.answer();
  const [message] = after.all();
  expect(message && after.lacksImages(message)).toBe(true);
  expect(after.sendable()).toEqual([]);
});

test("images live as long as the page where they are kept nowhere else, and a message that lost them waits for a word", () => {
  const store = storage();
  const before = new Outbox(store);
  const image = { name: "a.png" } as File;
  before.add({ ...written("a", 1), imageNames: ["a.png"] }, [image]);
  before.add(written("b", 2));
  expect(before.imagesOf("a")).toEqual([image]);
  expect(before.sendable()).toHaveLength(2);
  const after = new Outbox(store);
  const [message] = after.all();
  expect(message && after.lacksImages(message)).toBe(true);
  expect(after.sendable()).toEqual([]);
  after.change("a", { imageNames: [] });
  expect(after.sendable()).toHaveLength(2);
});

test("that a message was handed over is known after a reload", () => {
  const store = storage();
  const outbox = new Outbox(store);
  outbox.add({ ...written("a", 1), delivery: "steer" });
  outbox.tried("a");
  expect(new Outbox(store).all()).toEqual([{ ...written("a", 1), delivery: "steer", isTried: true }]);
});
