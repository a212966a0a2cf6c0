import { describe, expect, test } from "vitest";
import type { PermissionRequest, ServerFrame, SessionListItem } from "../src/contract";
import { type Directory, emptyDirectory, greeted, listed, told } from "../src/directory/directory";
import { titleWithCount, waitingCount, whatToTell } from "../src/notify/what-to-tell";
import { session, status } from "./samples";

const TIME = "2026-01-01T00:00:00.000Z";
const PROJECT = { id: "p", name: "project", path: "/p", addedAt: TIME };
const HIDDEN = { isHidden: true, muted: new Set<string>() };

const holding = (...sessions: SessionListItem[]): Directory => listed(emptyDirectory, [PROJECT], sessions);
const later = (directory: Directory, ...frames: ServerFrame[]): Directory =>
  frames.reduce((known, frame) => told(known, frame), directory);
const stands = (
  activity: SessionListItem["activity"],
  state: SessionListItem["status"] = "open",
): ServerFrame => ({
  type: "session:status",
  ...status("s", { activity, state }),
});
const asks = (permissionId: string, title = "Run make"): ServerFrame => {
  const request: PermissionRequest = { permissionId, sessionId: "s", title, options: [], askedAt: TIME };
  return { type: "permission:requested", ...request };
};
const toldOf = (before: Directory, now: Directory, circumstances = HIDDEN) =>
  whatToTell(before, now, circumstances).map(({ kind, title, text }) => `${kind}: ${title}: ${text}`);

const running = holding(session("s", { title: "Build", activity: "running" }));

describe("what is told", () => {
  test("a session finishes", () => {
    expect(toldOf(running, later(running, stands("idle")))).toEqual(["finished: Build: Finished"]);
  });

  test("a turn that was over before anyone was told that it runs", () => {
    const lastActiveAt = "2026-01-01T00:00:01.000Z";
    const over = (activity: "idle" | "error"): ServerFrame => ({
      type: "session:status",
      ...status("s", { activity, lastActiveAt }),
    });
    const idle = holding(session("s", { title: "Build" }));
    const done = later(idle, over("idle"));
    expect(toldOf(idle, done)).toEqual(["finished: Build: Finished"]);
    expect(toldOf(done, later(done, over("idle")))).toEqual([]);
    const failed = holding(session("s", { title: "Build", activity: "error" }));
    expect(toldOf(failed, later(failed, over("error")))).toEqual(["failed: Build: Failed"]);
    expect(toldOf(failed, later(failed, stands("error")))).toEqual([]);
  });

  test("a session fails, or ends while it works", () => {
    expect(toldOf(running, later(running, stands("error")))).toEqual(["failed: Build: Failed"]);
    expect(toldOf(running, later(running, stands("idle", "dead")))).toEqual([
      "failed: Build: Ended before it was done",
    ]);
  });

  test("a session asks, once for each request", () => {
    const asking = later(running, stands("permission"), asks("q1"));
    expect(toldOf(running, asking)).toEqual(["asks: Build: Needs your answer: Run make"]);
    expect(toldOf(asking, later(asking, asks("q1")))).toEqual([]);
    expect(toldOf(asking, later(asking, asks("q2", "Delete all")))).toEqual([
      "asks: Build: Needs your answer: Delete all",
    ]);
  });

  test("names that would hide something are shown as they are", () => {
    const odd = holding(session("s", { title: "a\u202eb", activity: "running" }));
    expect(toldOf(odd, later(odd, stands("idle")))).toEqual(["finished: a\\u202eb: Finished"]);
  });
});

test("of a thousand sessions that are told one by one, each is told once", () => {
  const sessions = Array.from({ length: 1_000 }, (_, n) => session(`s${n}`, { activity: "running" }));
  let [known, news] = [holding(...sessions), 0];
  for (const { sessionId } of sessions) {
    const next = told(known, { type: "session:status", ...status(sessionId, { activity: "idle" }) });
    news += whatToTell(known, next, HIDDEN).length;
    known = next;
  }
  expect(news).toBe(1_000);
});

describe("what is not told", () => {
  test("anything while the page is looked at, or of sessions that are muted", () => {
    const done = later(running, stands("idle"));
    expect(toldOf(running, done, { ...HIDDEN, isHidden: false })).toEqual([]);
    expect(toldOf(running, done, { ...HIDDEN, muted: new Set(["s"]) })).toEqual([]);
  });

  test("what a first load finds", () => {
    expect(toldOf(emptyDirectory, holding(session("s", { activity: "error" })))).toEqual([]);
    expect(toldOf(emptyDirectory, later(emptyDirectory, stands("permission"), asks("q1")))).toEqual([]);
  });

  test("that a session begins to work, or goes on after an answer", () => {
    const idle = holding(session("s"));
    expect(toldOf(idle, later(idle, stands("running")))).toEqual([]);
    const asking = later(running, stands("permission"), asks("q1"));
    const answered = later(
      asking,
      { ...asks("q1"), type: "permission:resolved" } as ServerFrame,
      stands("running"),
    );
    expect(toldOf(asking, answered)).toEqual([]);
  });

  test("what a reconnect tells again", () => {
    const asking = later(running, stands("permission"), asks("q1"));
    const again = greeted(asking);
    expect(toldOf(asking, again)).toEqual([]);
    expect(toldOf(again, later(again, stands("permission"), asks("q1"), { type: "pong" }))).toEqual([]);
    const failed = holding(session("s", { activity: "error" }));
    expect(toldOf(failed, later(greeted(failed), stands("error"), { type: "pong" }))).toEqual([]);
  });

  test("an end that came before the session did", () => {
    const idle = holding(session("s"));
    expect(toldOf(idle, later(idle, stands("idle", "dead")))).toEqual([]);
  });
});

test("what happened during a lost connection is news", () => {
  const back = later(greeted(running), stands("idle"), { type: "pong" });
  expect(toldOf(running, back)).toEqual(["finished: Build: Finished"]);
});

test("the title counts the sessions that wait", () => {
  expect(titleWithCount("Liminal", 0)).toBe("Liminal");
  expect(titleWithCount("Liminal", 2)).toBe("(2) Liminal");
  const nobody = () => false;
  expect(waitingCount(running, nobody)).toBe(0);
  const asking = later(running, asks("q1"), asks("q2"));
  expect(waitingCount(asking, nobody)).toBe(1);
  expect(waitingCount(asking, (sessionId) => sessionId === "s")).toBe(0);
});
