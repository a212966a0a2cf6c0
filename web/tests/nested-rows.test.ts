// @vitest-environment happy-dom
/** A subagent that takes thousands of steps costs no more than one that takes a few. */
import { expect, test } from "vitest";
import type { UpsertObject } from "../src/contract";
import { NestedRows } from "../src/items/nested-rows";
import { FamilyIndex } from "../src/timeline/family";
import type { Item } from "../src/timeline/timeline";
import { message } from "./samples";

const STEPS = 5_000;
const call = { type: "tool_call", toolName: "Task", toolArguments: {}, callId: "c" } as const;
const task = { ...message("task", 0, 0), ...call } as UpsertObject as Item;

/** A step that tells how often it is asked where it stands. */
function step(at: number, looks: { count: number }, status: Item["status"] = "complete"): Item {
  const item = { ...message(`s${at}`, at, at, `Step ${at}`), parentItemId: "task", status } as Item;
  const position = {
    enumerable: true,
    get: () => {
      looks.count += 1;
      return at;
    },
  };
  return Object.defineProperty(item, "position", position);
}

function manySteps(looks = { count: 0 }) {
  const items = new Map<string, Item>([["task", task]]);
  const family = new FamilyIndex();
  for (let at = 1; at <= STEPS; at += 1) {
    items.set(`s${at}`, step(at, looks));
    family.change(items, `s${at}`);
  }
  return { items, family, looks };
}

const drawn = (rows: NestedRows) => [...rows.root.querySelectorAll<HTMLElement>("[data-item-id]")];

test("a change looks at few of the siblings, wherever it is", () => {
  const { items, family, looks } = manySteps();
  for (const at of [1, 2_500, STEPS]) {
    items.set(`s${at}`, step(at, looks, "update"));
    looks.count = 0;
    family.change(items, `s${at}`);
    expect(looks.count).toBeLessThan(40);
  }
  expect(family.get("task")).toMatchObject({ length: STEPS, atWork: 3 });
  const before = family.get("task");
  items.delete("s7");
  family.change(items, "s7");
  expect(family.get("task")).toMatchObject({ length: STEPS - 1, atWork: 3 });
  expect(family.get("task")).not.toBe(before);
});

test("the last steps are shown, and the earlier ones as they are asked for", () => {
  const { items, family } = manySteps();
  const rows = new NestedRows({ showWhole: () => {}, whole: async (item) => item });
  document.body.append(rows.root);
  rows.update(task, family);
  expect(drawn(rows)).toHaveLength(50);
  const earlier = rows.root.querySelector("button.nested-earlier") as HTMLButtonElement;
  expect(earlier.textContent).toBe("4,950 earlier");
  for (let at = STEPS + 1; at <= STEPS + 500; at += 1) {
    items.set(`s${at}`, step(at, { count: 0 }));
    family.change(items, `s${at}`);
    rows.update(task, family);
    expect(drawn(rows).length).toBeLessThanOrEqual(75);
  }
  expect(drawn(rows).at(-1)?.dataset.itemId).toBe(`s${STEPS + 500}`);
  const before = drawn(rows).length;
  earlier.click();
  expect(drawn(rows)).toHaveLength(before + 50);
  const order = drawn(rows).map(({ dataset }) => Number(dataset.itemId?.slice(1)));
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test("a step that is not shown is revealed", () => {
  const { family } = manySteps();
  const rows = new NestedRows({ showWhole: () => {}, whole: async (item) => item });
  rows.update(task, family);
  expect(rows.reveal("s4900")?.dataset.itemId).toBe("s4900");
  expect(rows.reveal("nobody")).toBeUndefined();
});

test("what changes inside of a step changes what is around it", () => {
  const items = new Map<string, Item>([["task", task]]);
  const family = new FamilyIndex();
  const inner = { ...message("inner", 1, 1), ...call, parentItemId: "task" } as UpsertObject as Item;
  const deep = { ...message("deep", 2, 2), parentItemId: "inner" } as UpsertObject as Item;
  for (const item of [inner, deep]) {
    items.set(item.itemId, item);
    family.change(items, item.itemId);
  }
  const before = family.get("task");
  items.set("deep", { ...deep, seq: 3 });
  family.change(items, "deep");
  expect(family.get("task")).not.toBe(before);
  expect(family.childWith("task", "deep")?.itemId).toBe("inner");
});
