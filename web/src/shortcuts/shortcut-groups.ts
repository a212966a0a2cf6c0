/** All commands that have keys, by group. Made from the commands themselves, so it is never out of date. Pure. */
import type { Command } from "../commands/commands";

export type Shortcut = { title: string; keys: readonly string[] };
export type ShortcutGroup = { group: Command["group"]; note: string; shortcuts: Shortcut[] };

/** Where the letters of a group mean something: letters are typed everywhere else. */
const NOTES: Partial<Record<Command["group"], string>> = {
  "Messages that wait": "Letters: while one has the focus",
  Permissions: "Letters: while one has the focus",
  Reading: "While the transcript has the focus: what is in focus in it, or seen last",
};

/** From what is done most to what is done once. */
const ORDER: readonly Command["group"][] = [
  "Sessions",
  "This session",
  "Messages",
  "Messages that wait",
  "Permissions",
  "Reading",
  "Tabs",
  "Projects",
  "View",
  "Settings",
  "Help",
];

export function shortcutGroups(commands: readonly Command[]): ShortcutGroup[] {
  return ORDER.map((group) => ({
    group,
    note: NOTES[group] ?? "",
    shortcuts: commands.flatMap(({ group: of, title, keys = [] }) =>
      of === group && keys.length > 0 ? [{ title, keys }] : [],
    ),
  })).filter(({ shortcuts }) => shortcuts.length > 0);
}
