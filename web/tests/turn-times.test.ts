import { describe, expect, test } from "vitest";
import type { PermissionRequest, TurnEvent, UpsertObject } from "../src/contract";
import type { Turn } from "../src/timeline/timeline";
import { AskedLog } from "../src/turn-times/asked-log";
import { ticksOf, timeText } from "../src/turn-times/time-scale";
import { turnTimes } from "../src/turn-times/turn-times";
import { completed, message, started, thinking } from "./samples";

const START = Date.parse("2026-01-01T00:00:00.000Z");
const at = (ms: number) => new Date(START + ms).toISOString();

function turn(end?: number): Turn {
  const begun = { ...started("t", 1), at: at(0) } as Turn["started"];
  const over = end === undefined ? undefined : ({ ...completed("t", 9), at: at(end) } as TurnEvent);
  return {
    turnId: "t",
    ...(begun && { started: begun }),
    ...(over && { ended: over as Turn["ended"] }),
  } as Turn;
}

function timed(item: UpsertObject, from: number, to: number, part: object = {}): UpsertObject {
  return { ...item, startedAt: at(from), emittedAt: at(to), status: "complete", ...part } as UpsertObject;
}

const call = (itemId: string, from: number, to: number, part: object = {}) =>
  timed(message(itemId, 3, 3), from, to, {
    type: "tool_call",
    toolName: "Bash",
    toolArguments: {},
    callId: itemId,
    toolOutput: "",
    ...part,
  });

const asked = (from: number, to?: number) =>
  ({
    permissionId: "p",
    sessionId: "s",
    turnId: "t",
    itemId: "c",
    title: "Run it?",
    options: [],
    askedAt: at(from),
    ...(to !== undefined && { resolvedAt: at(to) }),
  }) as PermissionRequest;

describe("the times of a turn", () => {
  const items = [
    timed(message("prompt", 1, 1), 0, 0, { origin: "user" }),
    timed(thinking("h", 2, 2), 2_000, 4_000),
    call("c", 4_000, 9_000),
    timed(message("m", 5, 5), 9_000, 10_000),
    timed(message("other", 6, 6), 0, 10_000, { turnId: "u" }),
  ];
  const times = turnTimes(turn(10_000), items, [asked(5_000, 8_000)], START + 99_000);

  test("are bars in the order in which they began, with the silence before them", () => {
    expect(times.bars.map(({ kind, name, from, to }) => [kind, name, from, to])).toEqual([
      ["quiet", "Until the first sign", 0, 2_000],
      ["thinking", "Thinking", 2_000, 4_000],
      ["tool", "Bash", 4_000, 9_000],
      ["person", "Waiting for you: Run it?", 5_000, 8_000],
      ["text", "Text", 9_000, 10_000],
    ]);
    expect(times).toMatchObject({ total: 10_000, firstText: 9_000, isRunning: false });
  });

  test("are counted once each moment, waiting for a person before the tool that waits", () => {
    expect(Object.fromEntries(times.sums.map(({ kind, time }) => [kind, time]))).toEqual({
      person: 3_000,
      tool: 2_000,
      thinking: 2_000,
      text: 1_000,
      quiet: 2_000,
    });
  });
});

test("what still goes on lasts until now", () => {
  const items = [call("c", 1_000, 1_000, { toolOutput: undefined })];
  const times = turnTimes(turn(), items, [asked(2_000)], START + 6_000);
  expect(times).toMatchObject({ total: 6_000, isRunning: true });
  expect(times.bars.map(({ kind, to }) => [kind, to])).toContainEqual(["tool", 6_000]);
  expect(times.bars.map(({ kind, to }) => [kind, to])).toContainEqual(["person", 6_000]);
});

test("silence in the midst is told, short ones are not", () => {
  const items = [
    timed(message("a", 2, 2), 0, 1_000),
    timed(message("b", 3, 3), 1_100, 2_000),
    timed(message("c", 4, 4), 5_000, 6_000),
  ];
  const times = turnTimes(turn(6_000), items, [], START);
  expect(times.bars.filter(({ kind }) => kind === "quiet")).toMatchObject([
    { name: "Nothing told", from: 2_000, to: 5_000 },
  ]);
});

test("a beginning that was not read is left out, and no silence", () => {
  const items = [timed(message("a", 2, 2), 60_000, 61_000), timed(message("b", 3, 3), 65_000, 66_000)];
  const times = turnTimes(turn(66_000), items, [asked(10_000, 20_000)], START, false);
  expect(times.bars.map(({ kind, from, to }) => [kind, from, to])).toEqual([
    ["omitted", 0, 10_000],
    ["person", 10_000, 20_000],
    ["omitted", 20_000, 60_000],
    ["text", 60_000, 61_000],
    ["quiet", 61_000, 65_000],
    ["text", 65_000, 66_000],
  ]);
  expect(times.firstText).toBeUndefined();
  expect(times.sums).toContainEqual({ kind: "omitted", time: 50_000 });
  expect(times.sums).toContainEqual({ kind: "quiet", time: 4_000 });
});

test("thousands of steps that overlap are summed once", () => {
  const items = Array.from({ length: 3_000 }, (_, n) => call(`c${n}`, n * 10, n * 10 + 15));
  const times = turnTimes(turn(40_000), items, [], START);
  expect(times.sums).toEqual([
    { kind: "tool", time: 30_005 },
    { kind: "quiet", time: 9_995 },
  ]);
});

test("a turn of which nothing is known takes no time", () => {
  expect(turnTimes({ turnId: "t" }, [], [], START)).toMatchObject({ total: 0, bars: [], sums: [] });
});

test("the axis has round steps", () => {
  expect(ticksOf(0)).toEqual([0]);
  expect(ticksOf(9_400)).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
  expect(ticksOf(600)).toEqual([0, 300, 600]);
  expect(ticksOf(240_000)).toEqual([0, 60_000, 120_000, 180_000, 240_000]);
  expect(ticksOf(7 * 3_600_000).length).toBeLessThanOrEqual(6);
  expect([timeText(40), timeText(1_234), timeText(65_000)]).toEqual(["40 ms", "1.2 s", "1 min 5 s"]);
});

test("questions are remembered with their answer", () => {
  const log = new AskedLog();
  log.told({ type: "permission:requested", ...asked(1) });
  log.told({ type: "permission:resolved", ...asked(1, 2) });
  log.told({ type: "pong" });
  expect(log.of("s")).toMatchObject([{ resolvedAt: at(2) }]);
  expect(log.of("other")).toEqual([]);
  expect(log.of("s", [{ ...asked(1, 2), permissionId: "earlier" }, asked(1, 3)])).toHaveLength(2);
});
