import { expect, test } from "vitest";
import type { ToolKind, UpsertObject } from "../src/contract";
import { FamilyIndex, homeOf } from "../src/timeline/family";
import { grouped } from "../src/timeline/row-groups";
import { applyHistory, emptyTimeline, type Timeline } from "../src/timeline/timeline";
import { rows } from "../src/timeline/timeline-rows";
import { completed, history, message, started } from "./samples";

const nobody = () => false;

function call(itemId: string, at: number, kind: ToolKind, part: object = {}): UpsertObject {
  const base = { toolName: "x", toolArguments: {}, callId: itemId, status: "complete", toolOutput: "" };
  return { ...message(itemId, at, at), ...base, type: "tool_call", kind, ...part } as UpsertObject;
}

function timelineOf(entries: UpsertObject[], isOver = false): Timeline {
  const turns = [started("t", 1), ...(isOver ? [completed("t", 99)] : [])];
  return applyHistory(emptyTimeline, history({ seq: 99, entries, turns })).timeline;
}

/** The rows as words: groups in brackets, without the line of the turn. */
function shown(timeline: Timeline, isHeld: (id: string) => boolean = nobody): string {
  return grouped(rows(timeline), timeline, isHeld)
    .filter(({ kind }) => kind !== "turn")
    .map((row) => (row.kind === "group" ? `[${row.members.join(" ")}]` : row.id))
    .join(" ");
}

const reads = [call("a", 2, "read"), call("b", 3, "read"), call("c", 4, "read")];

test("a run of reads is one row once something has followed it", () => {
  expect(shown(timelineOf(reads))).toBe("a b c");
  expect(shown(timelineOf([...reads, message("m", 5, 5)]))).toBe("[a b c] m");
  expect(shown(timelineOf(reads, true))).toBe("[a b c]");
});

test("a run is of one kind", () => {
  const mixed = [...reads, call("d", 5, "search"), call("e", 6, "search"), message("m", 7, 7)];
  expect(shown(timelineOf(mixed))).toBe("[a b c] [d e] m");
});

test("one call is no run", () => {
  expect(shown(timelineOf([call("a", 2, "read"), message("m", 3, 3)]))).toBe("a m");
});

test("what runs, failed or changes something stays by itself", () => {
  const rest = [message("m", 9, 9)];
  const { toolOutput: _, ...running } = call("b", 3, "read") as { toolOutput?: string } & UpsertObject;
  expect(
    shown(
      timelineOf([
        call("a", 2, "read"),
        running as UpsertObject,
        call("c", 4, "read"),
        call("d", 5, "read"),
        ...rest,
      ]),
    ),
  ).toBe("a b [c d] m");
  const failed = call("b", 3, "read", { toolOutputIsError: true });
  expect(shown(timelineOf([call("a", 2, "read"), failed, call("c", 4, "read"), ...rest]))).toBe("a b c m");
  expect(shown(timelineOf([call("a", 2, "edit"), call("b", 3, "edit"), ...rest]))).toBe("a b m");
  expect(shown(timelineOf([call("a", 2, "execute"), call("b", 3, "execute"), ...rest]))).toBe("a b m");
});

test("what a reader is at is not folded away", () => {
  const timeline = timelineOf([...reads, call("d", 5, "read"), message("m", 6, 6)]);
  expect(shown(timeline, (id) => id === "b")).toBe("a b [c d] m");
});

test("the work of a subagent stands inside of its call", () => {
  const inside = { parentItemId: "task" };
  const items = [
    call("task", 2, "think"),
    call("a", 3, "read", inside),
    call("b", 4, "edit", { parentItemId: "a" }),
    message("m", 5, 5),
  ];
  const timeline = timelineOf(items);
  expect(shown(timeline)).toBe("task m");
  expect(homeOf(timeline.items, "b")).toBe("task");
  const family = new FamilyIndex();
  for (const { itemId } of items) family.change(timeline.items, itemId);
  expect(
    family
      .get("task")
      ?.from(0)
      .map(({ itemId }) => itemId),
  ).toEqual(["a"]);
  expect(family.get("m")).toBeUndefined();
});

test("work whose call is not there, or that is in a circle, stands by itself", () => {
  expect(shown(timelineOf([call("a", 2, "edit", { parentItemId: "gone" })]))).toBe("a");
  const circle = [call("a", 2, "edit", { parentItemId: "b" }), call("b", 3, "edit", { parentItemId: "a" })];
  expect(shown(timelineOf(circle))).toBe("a b");
});

test("a family follows its items one by one", () => {
  const family = new FamilyIndex();
  const timeline = timelineOf([
    call("task", 2, "think"),
    call("a", 4, "read", { parentItemId: "task" }),
    call("b", 3, "read", { parentItemId: "task" }),
  ]);
  for (const id of ["a", "b"]) family.change(timeline.items, id);
  expect(
    family
      .get("task")
      ?.from(0)
      .map(({ itemId }) => itemId),
  ).toEqual(["b", "a"]);
  family.change(new Map(), "b");
  expect(
    family
      .get("task")
      ?.from(0)
      .map(({ itemId }) => itemId),
  ).toEqual(["a"]);
});
