// @vitest-environment happy-dom
/** What holds for all commands of the page together. */
import { expect, test } from "vitest";
import { App } from "../src/app";
import { entriesOf, sectionsOf } from "../src/palette/entries";
import { nextRegion } from "../src/regions/regions";
import { shortcutGroups } from "../src/shortcuts/shortcut-groups";

const { commands } = new App("ws://localhost/ws", { loggedOut: () => {} });
const all = commands.all();

test("no two commands share a key", () => {
  const owners = new Map<string, string[]>();
  for (const { id, keys = [] } of all)
    for (const chord of keys)
      owners.set(chord.toLowerCase(), [...(owners.get(chord.toLowerCase()) ?? []), id]);
  expect([...owners].filter(([, ids]) => ids.length > 1)).toEqual([]);
});

test("every command is found in the palette by its title, before all others", () => {
  const nowhere = { sessions: [], projects: [], open: () => {}, startIn: () => {} };
  const entries = entriesOf({ ...nowhere, commands: all });
  for (const { id, title } of all)
    expect(sectionsOf(title, entries, [])[0]?.shown[0]?.entry.id, title).toBe(`command ${id}`);
  const listed = sectionsOf("", entries, []).flatMap(({ shown }) => shown.map(({ entry }) => entry.id));
  expect(listed.toSorted()).toEqual(all.map(({ id }) => `command ${id}`).toSorted());
});

test("every command with keys is among the shortcuts", () => {
  const listed = shortcutGroups(all).flatMap(({ shortcuts }) => shortcuts.map(({ title }) => title));
  const expected = all.filter(({ keys = [] }) => keys.length > 0).map(({ title }) => title);
  expect(listed.toSorted()).toEqual(expected.toSorted());
  expect(listed.length).toBeGreaterThan(5);
});

test("titles are different and begin with a capital", () => {
  const titles = all.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  for (const title of titles) expect(title).toMatch(/^[A-Z]/);
});

test("regions go round in both directions", () => {
  expect([nextRegion(-1, 3, 1), nextRegion(-1, 3, -1)]).toEqual([0, 2]);
  expect([nextRegion(2, 3, 1), nextRegion(0, 3, -1)]).toEqual([0, 2]);
});
