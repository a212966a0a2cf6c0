import * as fc from "fast-check";
import { expect, test } from "vitest";
import { queueEntries, queueHeading, tooLate } from "../src/queue/queue-entries";
import { besideAt, movesTo, placeAt, placeBeside } from "../src/queue/queue-order";

/** What the server does with a move. */
function moved(order: string[], { turnId, before }: { turnId: string; before: string }): string[] {
  const rest = order.filter((one) => one !== turnId);
  const at = rest.indexOf(before);
  return [...rest.slice(0, at), turnId, ...rest.slice(at)];
}

test("wherever a turn is put, the moves bring it there and keep the others in order", () => {
  const orders = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(orders, fc.nat(), fc.nat(), (order, a, b) => {
      const turnId = order[a % order.length] ?? "";
      const to = b % order.length;
      const after = movesTo(order, turnId, to).reduce(moved, order);
      const rest = order.filter((one) => one !== turnId);
      expect(after).toEqual([...rest.slice(0, to), turnId, ...rest.slice(to)]);
    }),
  );
});

test("however many wait, two moves are enough", () => {
  const order = Array.from({ length: 500 }, (_, at) => `t${at}`);
  expect(movesTo(order, "t0", 499)).toHaveLength(2);
  expect(movesTo(order, "t498", 499)).toEqual([{ turnId: "t499", before: "t498" }]);
  expect(movesTo(order, "t499", 0)).toEqual([{ turnId: "t499", before: "t0" }]);
});

test("a turn that is not there, or is there already, is not moved", () => {
  expect(movesTo(["a", "b"], "c", 0)).toEqual([]);
  expect(movesTo(["a", "b"], "a", 0)).toEqual([]);
});

test("a row that is let go takes the place among the middles of the others", () => {
  expect(placeAt([10, 30, 50], 0, 35)).toBe(1);
  expect(placeAt([10, 30, 50], 0, 60)).toBe(2);
  expect(placeAt([10, 30, 50], 2, 5)).toBe(0);
});

test("a row that is let go beside another one lands there, whatever began meanwhile", () => {
  const order = ["a", "b", "c", "d"];
  const middles = [10, 30, 50, 70];
  const upwards = besideAt(order, middles, "d", 25);
  expect(upwards).toEqual({ turnId: "b", side: "before" });
  const downwards = besideAt(order, middles, "b", 60);
  expect(downwards).toEqual({ turnId: "c", side: "after" });
  expect(besideAt(order, middles, "b", 32)).toBeUndefined();
  if (!upwards || !downwards) throw new Error("it would stay");
  const left = order.slice(1);
  expect(movesTo(left, "d", placeBeside(left, "d", upwards) ?? -1).reduce(moved, left)).toEqual([
    "d",
    "b",
    "c",
  ]);
  expect(movesTo(left, "b", placeBeside(left, "b", downwards) ?? -1).reduce(moved, left)).toEqual([
    "c",
    "b",
    "d",
  ]);
  expect(placeBeside(["c", "d"], "d", upwards), "that one does not wait any more").toBeUndefined();
});

const turn = { turnId: "t", content: "x", delivery: "queue", queuedAt: "", paused: false } as const;
const message = { sessionId: "s", clientMessageId: "m", content: "y", writtenAt: 1 };
const whole = () => false;

test("turns come before messages, and each says how it stands", () => {
  const entries = queueEntries({
    queued: [turn, { ...turn, turnId: "p", paused: true }],
    unsent: [message],
    isLive: true,
    lacksImages: whole,
  });
  expect(entries.map(({ state }) => state)).toEqual(["queued", "paused", "sending"]);
  expect(queueHeading(entries)).toBe("Paused: 3 messages wait");
  expect(queueHeading(entries.slice(0, 1))).toBe("1 message waits");
});

test("without a connection only what the server cannot have may be changed", () => {
  const entries = queueEntries({
    queued: [turn],
    unsent: [message, { ...message, clientMessageId: "n", isTried: true }],
    isLive: false,
    lacksImages: whole,
  });
  expect(entries.map(({ state, canChange }) => [state, canChange])).toEqual([
    ["queued", false],
    ["unsent", true],
    ["unconfirmed", false],
  ]);
});

test("a message that lost its images says so, also with a connection", () => {
  const [entry] = queueEntries({ queued: [], unsent: [message], isLive: true, lacksImages: () => true });
  expect(entry?.state).toBe("incomplete");
});

test("a message that lost its images can be let go of, also when the server may have it", () => {
  const removable = (isTried: boolean, lost: boolean) =>
    queueEntries({ queued: [], unsent: [{ ...message, isTried }], isLive: true, lacksImages: () => lost })[0];
  expect(removable(true, true)).toMatchObject({ canChange: false, canRemove: true });
  expect(removable(true, false)).toMatchObject({ canChange: false, canRemove: false });
  expect(removable(false, false)).toMatchObject({ canChange: true, canRemove: true });
});

test("a change that comes too late is told plainly", () => {
  expect(tooLate("TURN_ALREADY_STARTED", "x")).toContain("has begun meanwhile");
  expect(tooLate("TURN_NOT_FOUND", "x")).toContain("does not wait any more");
  expect(tooLate("OTHER", "as it is")).toBe("as it is");
});
