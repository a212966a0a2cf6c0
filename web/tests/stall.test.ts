import { describe, expect, test } from "vitest";
import type { ServerFrame } from "../src/contract";
import { LOOK_MS, SILENT_MS, StallWatch, silenceText } from "../src/stall/stall-watch";
import { session, status } from "./samples";

const running = session("s", { activity: "running" });
const sign: ServerFrame = { type: "session:status", ...status("s", { activity: "running" }) };

/** Looks at the clock as the page does, up to a moment. */
function waited(watch: StallWatch, from: number, to: number): void {
  for (let now = from; now <= to; now += LOOK_MS) watch.look(now);
}

function started(): StallWatch {
  const watch = new StallWatch();
  watch.connected(true, 0);
  watch.told(sign, 1_000);
  return watch;
}

describe("a session at work", () => {
  test("is silent after a minute without a message about it, and says for how long", () => {
    const watch = started();
    waited(watch, 0, 81_000);
    expect(watch.silentFor(running, SILENT_MS)).toBeUndefined();
    expect(watch.silentFor(running, 1_000 + SILENT_MS)).toBe(SILENT_MS);
    expect(watch.marked(running, 81_000)).toMatchObject({ silentMs: 80_000 });
  });

  test("is not any more as soon as something is told of it", () => {
    const watch = started();
    waited(watch, 0, 80_000);
    watch.told({ type: "session:plan", sessionId: "s", entries: [] }, 80_000);
    expect(watch.silentFor(running, 81_000)).toBeUndefined();
    expect(watch.marked(running, 81_000)).toBe(running);
  });

  test.each([
    ["waits for a person", { activity: "permission" }],
    ["is idle", { activity: "idle" }],
    ["has ended", { status: "dead" }],
  ] as const)("that %s need not give signs", (_, part) => {
    expect(started().silentFor({ ...running, ...part }, 200_000)).toBeUndefined();
  });

  test("is not called silent for a time in which nothing could be heard", () => {
    const watch = started();
    watch.connected(false, 50_000);
    expect(watch.silentFor(running, 100_000)).toBeUndefined();
    watch.connected(true, 100_000);
    expect(watch.silentFor(running, 110_000)).toBeUndefined();
    waited(watch, 100_000, 120_000);
    watch.look(900_000);
    expect(watch.silentFor(running, 901_000), "the page was asleep").toBeUndefined();
  });
});

describe("a session that is not open", () => {
  const glance = (heard: string): ServerFrame => ({ type: "session:glance", sessionId: "s", at: heard });

  test("gives a sign of life with every glance in which its agent was heard anew", () => {
    const watch = started();
    watch.told(glance("2026-01-01T00:00:50Z"), 50_000);
    expect(watch.silentFor(running, 100_000)).toBeUndefined();
    expect(watch.silentFor(running, 50_000 + SILENT_MS)).toBe(SILENT_MS);
    watch.told(glance("2026-01-01T00:01:51Z"), 111_000);
    expect(watch.silentFor(running, 112_000)).toBeUndefined();
  });

  test("gives none with what a new connection is told again", () => {
    const watch = started();
    watch.told(glance("2026-01-01T00:00:01Z"), 1_000);
    watch.told(glance("2026-01-01T00:00:01Z"), 60_000);
    expect(watch.silentFor(running, 1_000 + SILENT_MS)).toBe(SILENT_MS);
  });
});

test("the time is told in steps", () => {
  expect([60_000, 80_000, 600_000, 700_000].map(silenceText)).toEqual([
    "1 min",
    "1 min 20 s",
    "10 min",
    "11 min",
  ]);
});
