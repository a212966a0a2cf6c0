import { expect, test } from "vitest";
import type { Project, SessionListItem } from "../src/contract";
import { directoryNote, offeredDirectories, recentProjects } from "../src/start/directory-offer";

function project(name: string, addedAt = "2026-01-01"): Project {
  return { id: name, name, path: `/home/me/${name}`, addedAt };
}

function used(projectId: string, lastActiveAt: string): SessionListItem {
  return { projectId, lastActiveAt } as SessionListItem;
}

test("projects come in the order in which they were used last", () => {
  const projects = [project("a"), project("b"), project("new", "2026-05-01")];
  const sessions = [used("a", "2026-03-01"), used("b", "2026-02-01"), used("a", "2026-01-02")];
  expect(recentProjects(projects, sessions).map(({ id }) => id)).toEqual(["new", "a", "b"]);
});

test("recent projects are offered first, by the beginning of the path or a part of the name, and once", () => {
  const offered = offeredDirectories(
    "/home/me/w",
    [project("web"), project("api")],
    ["/home/me/web", "/home/me/work"],
  );
  expect(offered.map(({ value }) => value)).toEqual(["/home/me/web", "/home/me/work"]);
  expect(offered.map(({ heading }) => heading)).toEqual(["Recent projects", "Directories"]);
  expect(offeredDirectories("EB", [project("web")], []).map(({ name }) => name)).toEqual(["web"]);
});

test("a place that is not allowed is said plainly, and where projects may be", () => {
  expect(directoryNote("/etc/x", ["/home/me"], [])).toBe(
    "This directory is not allowed. Projects may be in /home/me.",
  );
  expect(directoryNote("/home/melon", ["/home/me"], [])).toContain("not allowed");
  expect(directoryNote("src", ["/home/me"], [])).toContain("whole path");
});

test.each([
  ["", []],
  ["/ho", []],
  ["/home/me", ["/home/me"]],
  ["/home/me/", []],
  ["/elsewhere/by-link", ["/home/me/target"]],
])("what may still become one is not spoken of: %s", (written, found) => {
  expect(directoryNote(written, ["/home/me"], found)).toBe("");
});

test("a name that nothing begins with is said", () => {
  expect(directoryNote("/home/me/nowhere", ["/home/me"], [])).toBe(
    "There is no directory that begins like this.",
  );
});
