/** All commands that have keys, by group. Made from the commands themselves, so it is never out of date. Pure. */
import type { Command } from "../commands/commands";

export type Shortcut = { title: string; keys: readonly string[] };
export type ShortcutGroup = { group: Command["group"]; shortcuts: Shortcut[] };

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
    shortcuts: commands.flatMap(({ group: of, title, keys = [] }) =>
      of === group && keys.length > 0 ? [{ title, keys }] : [],
    ),
  })).filter(({ shortcuts }) => shortcuts.length > 0);
}
