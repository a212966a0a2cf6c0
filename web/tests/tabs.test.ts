import { expect, test } from "vitest";
import * as tabs from "../src/tabs/tabs";

const three = ["a", "b", "c"].reduce(tabs.opened, tabs.noTabs);

test("a session has one tab", () => {
  expect(three.open).toEqual(["a", "b", "c"]);
  expect(tabs.opened(three, "b")).toBe(three);
});

test("the next tab takes the place of one that closes, or the previous one of the last", () => {
  expect(tabs.successor(three, "b")).toBe("c");
  expect(tabs.successor(three, "c")).toBe("b");
  expect(tabs.successor(tabs.opened(tabs.noTabs, "a"), "a")).toBeUndefined();
});

test("what was closed can be opened again, the last one first", () => {
  const closed = tabs.closed(tabs.closed(three, "a"), "c");
  expect(closed.open).toEqual(["b"]);
  expect(closed.closed.at(-1)).toBe("c");
  const again = tabs.opened(closed, "c");
  expect(again).toMatchObject({ open: ["b", "c"], closed: ["a"] });
});

test.each([
  ["a", 2, ["b", "c", "a"]],
  ["c", 0, ["c", "a", "b"]],
  ["b", -1, ["b", "a", "c"]],
  ["b", 9, ["a", "c", "b"]],
])("%s is put at place %d", (sessionId, to, order) => {
  expect(tabs.moved(three, sessionId, to).open).toEqual(order);
});

test("beside goes round, and begins at an end where none is active", () => {
  expect(tabs.beside(three, "c", 1)).toBe("a");
  expect(tabs.beside(three, "a", -1)).toBe("c");
  expect(tabs.beside(three, undefined, 1)).toBe("a");
  expect(tabs.beside(tabs.noTabs, undefined, 1)).toBeUndefined();
});

test("the ninth key means the last tab", () => {
  expect([1, 3, 4, 9].map((number) => tabs.numbered(three, number))).toEqual(["a", "c", undefined, "c"]);
});

test("tabs are kept with what they show, and read again whatever is there", () => {
  const described = tabs.described(three, (id) =>
    id === "a" ? { title: "A", cliType: "codex" } : undefined,
  );
  const kept = JSON.parse(JSON.stringify(tabs.keptForm(described, "b")));
  expect(kept).toMatchObject({ openTabs: ["a", "b", "c"], activeTab: "b", tabOrder: ["a", "b", "c"] });
  expect(tabs.readTabs(kept)).toEqual(described);
  expect(tabs.readTabs({ openTabs: ["x", 3, "y"], tabOrder: ["y", "x", "z"] }).open).toEqual(["y", "x"]);
  expect(tabs.readTabs("nonsense")).toEqual(tabs.noTabs);
});

test("tabs of sessions that are gone are forgotten", () => {
  expect(tabs.known(three, (id) => id !== "b").open).toEqual(["a", "c"]);
  expect(tabs.known(three, () => true)).toBe(three);
});

test("the tab that was in sight is found again, as long as it is open", () => {
  expect(tabs.activeIn({ openTabs: ["a", "b"], activeTab: "b" })).toBe("b");
  expect(tabs.activeIn({ openTabs: ["a"], activeTab: "b" })).toBeUndefined();
  expect(tabs.activeIn({ openTabs: ["a"], activeTab: null })).toBeUndefined();
  expect(tabs.activeIn("nonsense")).toBeUndefined();
});
