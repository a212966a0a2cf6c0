import { describe, expect, test } from "vitest";
import type { Command } from "../src/commands/commands";
import { entriesOf, GO_TO, RECENT, START_IN, sectionsOf, withChoice } from "../src/palette/entries";
import { session } from "./samples";

const command = (id: string, title: string): Command => ({ id, title, group: "View", run: () => {} });
const ran: string[] = [];
const entries = entriesOf({
  commands: [{ ...command("a", "Use dark theme"), keys: ["Alt+D", "d"] }, command("b", "Use light theme")],
  sessions: [
    session("s1", { title: "Fix the build", cliType: "codex" }),
    session("s2", { title: "Old", archived: true }),
  ],
  projects: [{ id: "p", name: "liminal" }],
  open: (sessionId) => ran.push(sessionId),
  startIn: (projectId) => ran.push(projectId),
});
const shown = (typed: string, recent: string[] = []) =>
  sectionsOf(typed, entries, recent).map(({ heading, shown }) => [
    heading,
    ...shown.map(({ entry }) => entry.title),
  ]);

describe("the palette offers", () => {
  test("everything by where it belongs, but no archived sessions, while nothing is typed", () => {
    expect(shown("")).toEqual([
      [GO_TO, "Fix the build"],
      ["View", "Use dark theme", "Use light theme"],
      [START_IN, "liminal"],
    ]);
  });

  test("what was chosen lately first, and only there", () => {
    expect(shown("", ["command b", "command gone"])[0]).toEqual([RECENT, "Use light theme"]);
    expect(shown("", ["command b"])).toContainEqual(["View", "Use dark theme"]);
  });

  test("what fits to what was typed, also archived sessions and by their project", () => {
    expect(shown("theme")).toEqual([["", "Use dark theme", "Use light theme"]]);
    expect(shown("theme", ["command b"])).toEqual([["", "Use light theme", "Use dark theme"]]);
    expect(shown("old")).toEqual([["", "Old"]]);
    expect(shown("liminal codex")).toEqual([["", "Fix the build"]]);
    expect(shown("nothing of this")).toEqual([]);
  });

  test("the first chord of a command", () => {
    expect(entries.find(({ id }) => id === "command a")?.keys).toBe("Alt+D");
  });
});

test("an entry does what it says", () => {
  for (const entry of entries) entry.run();
  expect(ran).toEqual(["s1", "s2", "p"]);
});

test("choices are remembered once each, the latest first", () => {
  expect(withChoice(["a", "b"], "b")).toEqual(["b", "a"]);
  expect(withChoice([...Array(30).keys()].map(String), "y")).toHaveLength(20);
});
