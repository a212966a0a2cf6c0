import { expect, test } from "vitest";
import { KeptTexts, type TextStore } from "../src/compose/kept-text";
import { HistoryWalk, PromptHistory } from "../src/compose/prompt-history";

function storage(): TextStore {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}

test("prompts that were sent from here and those of the timeline make one history, each once", () => {
  const store = storage();
  const history = new PromptHistory(new KeptTexts("p ", store));
  for (const prompt of ["long ago", "b", " "]) history.remember("s", prompt);
  history.remember("other", "not here");
  expect(history.of("s", ["a", "b", "a"])).toEqual(["long ago", "b", "a"]);
  expect(new PromptHistory(new KeptTexts("p ", store)).of("s", [])).toEqual(["long ago", "b"]);
});

test("what is kept has bounds: in a prompt, in a session and in all", () => {
  const store = storage();
  const history = new PromptHistory(new KeptTexts("p ", store));
  history.remember("s", "x".repeat(10_001));
  expect(history.of("s", [])).toEqual([]);
  for (let at = 0; at < 20; at += 1) history.remember("s", `${at} ${"x".repeat(9_000)}`);
  expect(history.of("s", []).map((prompt) => prompt.split(" ")[0])).toEqual(["15", "16", "17", "18", "19"]);
  for (let at = 0; at < 80; at += 1) history.remember("s", String(at));
  expect(history.of("s", [])).toHaveLength(50);
});

test("sessions that nothing was said in for longest are forgotten first", () => {
  const store = storage();
  store.setItem("p old", '["kept before times were"]');
  let now = 0;
  const history = new PromptHistory(new KeptTexts("p ", store), () => now++);
  for (let at = 0; at < 40; at += 1) history.remember(`s${at}`, "help");
  history.remember("s0", "again");
  history.remember("new", "help");
  const again = new PromptHistory(new KeptTexts("p ", store));
  const known = (sessionId: string) => again.of(sessionId, []).length > 0;
  expect(["old", "s0", "s1", "s2", "s39", "new"].map(known)).toEqual([false, true, false, true, true, true]);
  expect(store.length).toBe(40);
});

test("when the browser keeps no more, prompts make room for what is being written", () => {
  const kept = new Map<string, string>();
  const store: TextStore = {
    get length() {
      return kept.size;
    },
    key: (at) => [...kept.keys()][at] ?? null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => {
      const others = [...kept].filter(([other]) => other !== name);
      if (others.reduce((sum, [, other]) => sum + other.length, text.length) > 1_000) throw new Error("full");
      kept.set(name, text);
    },
    removeItem: (name) => void kept.delete(name),
  };
  const history = new PromptHistory(new KeptTexts("liminal-prompts ", store));
  for (const sessionId of ["a", "b"]) history.remember(sessionId, "x".repeat(400));
  const drafts = new KeptTexts("liminal-draft ", store);
  drafts.set("s", "y".repeat(300));
  expect(new KeptTexts("liminal-draft ", store).get("s")).toHaveLength(300);
  expect([...kept.keys()]).toEqual(["liminal-draft s"]);
  drafts.set("s", "z".repeat(2_000));
  expect(drafts.get("s"), "it lives as long as the page").toHaveLength(2_000);
});

test("what storage holds otherwise is passed over", () => {
  const store = storage();
  store.setItem("p s", "{");
  expect(new PromptHistory(new KeptTexts("p ", store)).of("s", ["a"])).toEqual(["a"]);
});

test("up goes back from nothing, down comes back to nothing", () => {
  const walk = new HistoryWalk();
  const prompts = ["a", "b"];
  expect(walk.step(prompts, "", -1)).toBe("b");
  expect(walk.step(prompts, "b", -1)).toBe("a");
  expect(walk.step(prompts, "a", -1)).toBe("a");
  expect(walk.step(prompts, "a", 1)).toBe("b");
  expect(walk.step(prompts, "b", 1)).toBe("");
  expect(walk.step(prompts, "", 1)).toBeUndefined();
});

test("what is being written is never replaced", () => {
  const walk = new HistoryWalk();
  expect(walk.step(["a"], "draft", -1)).toBeUndefined();
  expect(walk.step(["a"], "", -1)).toBe("a");
  expect(walk.step(["a"], "a, changed", -1)).toBeUndefined();
  expect(walk.step([], "", -1)).toBeUndefined();
});
