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
