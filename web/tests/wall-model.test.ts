import { expect, test } from "vitest";
import { ActivityTrace, STEPS } from "../src/directory/activity-trace";
import { Glances } from "../src/directory/glances";
import { sparkPath } from "../src/wall/sparkline";
import {
  elapsed,
  enteringOrder,
  hasEnded,
  isLive,
  keptOrder,
  tileLine,
  usageWords,
} from "../src/wall/wall-model";
import { session, status } from "./samples";

const at = (n: number) => new Date(n * 1000).toISOString();

test("a session is live while its agent runs or something is to be done", () => {
  expect(isLive(session("s"), status("s"))).toBe(true);
  expect(isLive(session("s"), status("s", { isAlive: false }))).toBe(false);
  expect(isLive(session("s"), undefined)).toBe(false);
  expect(isLive(session("s"), undefined, true)).toBe(true);
  expect(isLive(session("s"), status("s", { isAlive: false }), true)).toBe(false);
  expect(isLive(session("s", { activity: "permission" }), undefined)).toBe(true);
  expect(isLive(session("s", { archived: true }), status("s"))).toBe(false);
  expect(isLive(session("s", { status: "dead" }), status("s"))).toBe(false);
});

test("one that ends while the wall is looked at stays there", () => {
  const dead = session("s", { status: "dead" });
  expect(hasEnded(dead, new Set(["s"]))).toBe(true);
  expect(hasEnded(dead, new Set())).toBe(false);
  expect(hasEnded({ ...dead, archived: true }, new Set(["s"]))).toBe(false);
  expect(hasEnded(session("s"), new Set(["s"]))).toBe(false);
});

test("who needs someone is first on entering; after that nothing moves and new ones come last", () => {
  const a = session("a", { createdAt: at(1) });
  const b = session("b", { createdAt: at(2), activity: "permission" });
  const order = enteringOrder([b, a]);
  expect(order).toEqual(["b", "a"]);
  const asks = session("a", { createdAt: at(1), activity: "permission" });
  const c = session("c", { createdAt: at(3) });
  expect(keptOrder(order, [c, asks, session("b", { createdAt: at(2) })])).toEqual(["b", "a", "c"]);
  // One that is away keeps its place.
  expect(keptOrder(["b", "a"], [c, asks])).toEqual(["b", "a", "c"]);
});

test("a tile tells the tool that runs, else the last line", () => {
  const glance = { sessionId: "s", at: at(0), tool: "Bash: make", line: "I build it" };
  expect(tileLine(glance, session("s", { activity: "running" }))).toEqual({
    kind: "tool",
    text: "Bash: make",
  });
  expect(tileLine(glance, session("s"))).toEqual({ kind: "line", text: "I build it" });
  expect(tileLine(undefined, session("s")).text).toBe("");
});

test("times and costs are short", () => {
  const glance = { sessionId: "s", at: at(0), turnStartedAt: at(100) };
  expect([107, 100 + 12 * 60 + 40, 100 + 3729, 90].map((now) => elapsed(glance, now * 1000))).toEqual([
    "0:07",
    "12:40",
    "1:02:09",
    "0:00",
  ]);
  expect(elapsed({ sessionId: "s", at: at(0) }, 5)).toBe("");
  expect(usageWords({ inputTokens: 12_000, outputTokens: 300, costUsd: 0.126 })).toBe("$0.13 · 12k tokens");
  expect(usageWords({ inputTokens: 0, outputTokens: 0, contextTokens: 4321 })).toBe("4.3k tokens");
  expect(usageWords({ inputTokens: 0, outputTokens: 0 })).toBe("");
  expect(usageWords(undefined)).toBe("");
});

test("what happened fades after two minutes", () => {
  const trace = new ActivityTrace();
  for (const now of [1000, 2000, 7000]) trace.note(now);
  expect(trace.steps(7000).slice(-2)).toEqual([2, 1]);
  expect(trace.steps(7000 + 60_000).filter((count) => count > 0)).toHaveLength(2);
  expect(trace.steps(7000 + 10_000_000)).toEqual(new Array(STEPS).fill(0));
});

test("a snapshot that was overtaken changes nothing", () => {
  const glances = new Glances();
  expect(glances.note({ sessionId: "s", at: at(5), line: "new" }, 0)).toBe(true);
  expect(glances.note({ sessionId: "s", at: at(4), line: "old" }, 0)).toBe(false);
  expect(glances.of("s")?.line).toBe("new");
});

test("what a new connection is told again is no activity", () => {
  const glances = new Glances();
  const many = () =>
    glances
      .traceOf("s")
      .steps(0)
      .reduce((sum, one) => sum + one, 0);
  glances.note({ sessionId: "s", at: at(5) }, 0);
  glances.note({ sessionId: "s", at: at(5) }, 0);
  expect(many()).toBe(1);
  glances.note({ sessionId: "s", at: at(6) }, 0);
  expect(many()).toBe(2);
});

test("a drawing stays within its box, however much happens", () => {
  expect(sparkPath([0, 100])).toBe("M0 20 L0.0 19.0 L96.0 1.0 L96 20 Z");
  expect(sparkPath([])).toContain("M0 20");
});
