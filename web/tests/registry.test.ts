// @vitest-environment happy-dom
/** What holds for all commands of the page together. */
import { expect, test, vi } from "vitest";
import { App } from "../src/app";
import type { KeyPress } from "../src/commands/chord";
import { type Command, Commands } from "../src/commands/commands";
import { entriesOf, sectionsOf } from "../src/palette/entries";
import { CHOICES } from "../src/preferences/preferences";
import { nextRegion } from "../src/regions/regions";
import { shortcutGroups } from "../src/shortcuts/shortcut-groups";

const { commands } = new App("ws://localhost/ws", { loggedOut: () => {} });
// Some come later, with the palette that lists them.
await vi.waitUntil(() => commands.all().some(({ id }) => id === "queue.edit"), { timeout: 20_000 });
const all = commands.all();

/** The single values of a setting, by the command whose key goes through them. */
const VALUES = Object.entries(CHOICES).flatMap(([name, values]) =>
  values.map((value): [string, string] => [`settings.${name}.${value}`, `settings.${name}.next`]),
);

test("every command has a key; the one of a setting goes through its values", () => {
  const without = all.filter(({ keys = [] }) => keys.length === 0).map(({ id }) => id);
  const cycles = new Map(VALUES);
  expect(without.map((id) => cycles.get(id) ?? id).filter((id) => without.includes(id))).toEqual([]);
  expect(without.toSorted()).toEqual([...cycles.keys()].toSorted());
  expect(all.find(({ id }) => id === "settings.open")?.keys).toEqual(["Mod+,"]);
});

test("no two commands share a key, unless they are for things that cannot have the focus at once", () => {
  const owners = new Map<string, Command[]>();
  for (const command of all)
    for (const chord of command.keys ?? []) {
      const key = chord.toLowerCase();
      owners.set(key, [...(owners.get(key) ?? []), command]);
    }
  const shared = [...owners].filter(([, commands]) => commands.length > 1);
  const clashes = shared.filter(([, commands]) => commands.some(({ keysWhen }) => keysWhen === undefined));
  expect(clashes.map(([key]) => key)).toEqual([]);
});

/** What a keyboard says when these keys are pressed: written by hand, so that it is not read as the page reads it. */
function pressOf(chord: string): KeyPress {
  const [key = "", ...held] = chord.split(/\+(?=.)/).toReversed();
  const shiftKey = held.includes("Shift");
  const place = /^[a-z]$/i.test(key)
    ? `Key${key.toUpperCase()}`
    : /^\d$/.test(key)
      ? `Digit${key}`
      : undefined;
  const code = place ?? CODES[key] ?? key;
  const written = key.length === 1 ? (shiftKey ? key.toUpperCase() : key.toLowerCase()) : key;
  const has = (name: string) => held.includes(name);
  return { key: written, code, shiftKey, ctrlKey: has("Mod"), metaKey: false, altKey: has("Alt") };
}

const CODES: Record<string, string> = {
  "[": "BracketLeft",
  "]": "BracketRight",
  ",": "Comma",
  "/": "Slash",
  "?": "Slash",
  "-": "Minus",
  "=": "Equal",
};

/** All of them, when only this one of those that are for a thing in focus can be meant. */
function withFocusFor(wanted: Command): Commands {
  const page = new Commands();
  page.add(
    ...all.map((command): Command => {
      const keysWhen = command.keysWhen && (() => command.id === wanted.id);
      return { ...command, isAvailable: () => true, ...(keysWhen && { keysWhen }) };
    }),
  );
  return page;
}

const keyed = all.flatMap((command) => (command.keys ?? []).map((chord) => ({ command, chord })));

test.each(keyed.map(({ command, chord }) => [chord, command.id, command] as const))(
  "%s is %s, also while text is written unless it writes a character",
  (chord, id, command) => {
    const page = withFocusFor(command);
    const press = pressOf(chord);
    expect(page.forKey(press, false, false, false)?.id).toBe(id);
    const isWritten = chord.replace("Shift+", "").length === 1;
    expect(page.forKey(press, true, false, false)?.id).toBe(isWritten ? undefined : id);
    expect(page.forKey(press, false, true, false)?.id).toBe(command.overDialogs ? id : undefined);
  },
);

test.each(
  keyed
    .filter(({ chord }) => /^Alt\+(Shift\+)?[a-z]$/i.test(chord))
    .map(({ command, chord }) => [chord, command] as const),
)("%s is found by its place where Option writes another character", (chord, command) => {
  const press = { ...pressOf(chord), key: "ø" };
  expect(withFocusFor(command).forKey(press, false, false, true)?.id).toBe(command.id);
});

test("no key is one that browsers keep for themselves", () => {
  const taken = /^Mod\+(Shift\+)?[TWNLR1-9]$|^Alt\+(D|E|F|F4|ArrowLeft|ArrowRight)$|^F(1|5|11|12)$/i;
  expect(all.flatMap(({ keys = [] }) => keys.filter((key) => taken.test(key)))).toEqual([]);
});

test("plain letters are for what has the focus, so that one that is hit by accident does nothing", () => {
  const plain = all.filter(({ keys = [] }) => keys.some((key) => /^(Shift\+)?[a-z]$/i.test(key)));
  const bare = plain.filter(({ keysWhen }) => keysWhen === undefined).map(({ id }) => id);
  expect(bare).toEqual(["inbox.next", "inbox.previous"]);
});

test("every command is found in the palette by its title, before all others", () => {
  const nowhere = { sessions: [], projects: [], open: () => {}, startIn: () => {} };
  const entries = entriesOf({ ...nowhere, commands: all });
  for (const { id, title } of all)
    expect.soft(sectionsOf(title, entries, [])[0]?.shown[0]?.entry.id, title).toBe(`command ${id}`);
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
