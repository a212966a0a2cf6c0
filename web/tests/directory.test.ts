import { expect, test } from "vitest";
import type { PermissionRequest } from "../src/contract";
import {
  emptyDirectory,
  greeted,
  isRemoved,
  listed,
  permissionsOf,
  sessionsOf,
  told,
} from "../src/directory/directory";
import { session, status } from "./samples";

const project = { id: "p", path: "/home/me/p", name: "p", addedAt: "2026-01-01T00:00:00.000Z" };

function request(permissionId: string, askedAt: string): PermissionRequest {
  return { permissionId, sessionId: "a", title: "Run", options: [], askedAt };
}

test("sessions are listed newest first", () => {
  const old = session("old", { lastActiveAt: "2026-01-01T00:00:00.000Z" });
  const fresh = session("fresh", { lastActiveAt: "2026-01-01T00:00:01.000Z" });
  const directory = listed(emptyDirectory, [project], [old, fresh]);
  expect(sessionsOf(directory).map(({ sessionId }) => sessionId)).toEqual(["fresh", "old"]);
});

test("a session that was created while the list was on its way stays", () => {
  const created = told(emptyDirectory, { type: "session:created", session: session("new") });
  const directory = listed(created, [project], [session("a")]);
  expect(new Set(directory.sessions.keys())).toEqual(new Set(["a", "new"]));
});

test("a status is newer than the list that was on its way", () => {
  const running = told(emptyDirectory, { type: "session:status", ...status("a", { activity: "running" }) });
  expect(listed(running, [project], [session("a")]).sessions.get("a")?.activity).toBe("running");
});

test("a turn that was never seen running moves its session up, and an older status does not move it back", () => {
  const directory = listed(emptyDirectory, [project], [session("a"), session("b")]);
  const lastActiveAt = "2026-01-02T00:00:00.000Z";
  const changed = told(directory, { type: "session:status", ...status("b", { lastActiveAt }) });
  expect(sessionsOf(changed).map(({ sessionId }) => sessionId)).toEqual(["b", "a"]);
  const older = told(changed, { type: "session:status", ...status("b") });
  expect(older.sessions.get("b")?.lastActiveAt).toBe(lastActiveAt);
});

test("permissions wait oldest first until they are resolved", () => {
  const second = request("second", "2026-01-01T00:00:02.000Z");
  const first = request("first", "2026-01-01T00:00:01.000Z");
  const asked = [second, first].reduce(
    (directory, one) => told(directory, { type: "permission:requested", ...one }),
    emptyDirectory,
  );
  expect(permissionsOf(asked, "a")).toMatchObject([first, second]);
  expect(permissionsOf(asked, "b")).toEqual([]);
  const resolved = told(asked, { type: "permission:resolved", ...first, outcome: "selected" });
  expect(permissionsOf(resolved, "a")).toMatchObject([second]);
});

test("a permission that a new connection does not name again is over", () => {
  const asked = told(emptyDirectory, { type: "permission:requested", ...request("one", "") });
  expect(permissionsOf(told(greeted(asked), { type: "pong" }), "a")).toEqual([]);
});

test("a permission stays while a new connection is being told what waits, and after it if it is named", () => {
  const one = request("one", "");
  const again = greeted(told(emptyDirectory, { type: "permission:requested", ...one }));
  expect(permissionsOf(again, "a")).toMatchObject([one]);
  const named = told(again, { type: "permission:requested", ...one });
  expect(permissionsOf(told(named, { type: "pong" }), "a")).toMatchObject([one]);
});

test("how a session stands is forgotten unless a new connection tells it", () => {
  const before = ["a", "b"].reduce(
    (directory, id) => told(directory, { type: "session:status", ...status(id) }),
    emptyDirectory,
  );
  const again = told(greeted(before), { type: "session:status", ...status("b") });
  expect([...told(again, { type: "pong" }).statuses.keys()]).toEqual(["b"]);
});

test("sessions of a project that is removed leave the list, and come back with it", () => {
  const directory = listed(emptyDirectory, [project], [session("a")]);
  const removed = told(directory, { type: "project:removed", projectId: "p" });
  expect(sessionsOf(removed)).toEqual([]);
  expect(isRemoved(removed, session("a"))).toBe(true);
  const added = told(removed, { type: "project:added", project });
  expect(sessionsOf(added).map(({ sessionId }) => sessionId)).toEqual(["a"]);
});

test("a project that was removed while nobody listened leaves the list too", () => {
  const directory = listed(emptyDirectory, [project], [session("a")]);
  expect(sessionsOf(listed(directory, [], []))).toEqual([]);
});

test("what becomes of projects while a list is on its way is newer than the list", () => {
  const other = { ...project, id: "q", name: "q" };
  const asked = listed(emptyDirectory, [project], []);
  const removed = told(asked, { type: "project:removed", projectId: "p" });
  const added = told(removed, { type: "project:added", project: other });
  expect([...listed(added, [project], [], asked).projectNames.keys()]).toEqual(["q"]);
});

test("a title and an archived session are told at once", () => {
  const directory = listed(emptyDirectory, [project], [session("a")]);
  const titled = told(directory, { type: "session:title-updated", sessionId: "a", title: "New" });
  const archived = told(titled, { type: "session:archived", sessionId: "a" });
  expect(sessionsOf(archived)).toMatchObject([{ title: "New", archived: true }]);
});

test("what was told of a session while the list was on its way stays", () => {
  const asked = listed(emptyDirectory, [project], [session("a"), session("b")]);
  const archived = told(asked, { type: "session:archived", sessionId: "a" });
  const renamed = told(archived, { type: "session:title-updated", sessionId: "b", title: "New" });
  const late = listed(renamed, [project], [session("a"), session("b", { title: "Old" })], asked);
  expect(late.sessions.get("a")?.archived).toBe(true);
  expect(late.sessions.get("b")?.title).toBe("New");
});

test("a list knows what was changed while nobody listened, also if a status came in between", () => {
  const asked = listed(emptyDirectory, [project], [session("a")]);
  const running = told(asked, { type: "session:status", ...status("a", { activity: "running" }) });
  const late = listed(running, [project], [session("a", { title: "New", archived: true })], asked);
  expect(late.sessions.get("a")).toMatchObject({ title: "New", archived: true, activity: "running" });
});
