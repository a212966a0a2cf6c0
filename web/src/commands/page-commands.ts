/** What belongs to the page and not to any one part of it: palette, shortcuts, settings, and going from part to part. */
import { browserStore } from "../compose/kept-text";
import { dialogs } from "../dialogs-later";
import type { Sources } from "../palette/entries";
import type { PreferenceStore } from "../preferences/preferences";
import { goToRegion } from "../regions/regions";
import type { Command, Commands } from "./commands";
import { typeAhead } from "./type-ahead";

export type PageParts = {
  preferences: PreferenceStore;
  /** What can be gone to besides commands. */
  places(): Omit<Sources, "commands">;
  say(text: string): void;
};

export function addPageCommands(commands: Commands, parts: PageParts): void {
  const { preferences, say } = parts;
  const own = dialogs.make(
    ({ Palette, Recent, ShortcutsDialog, SettingsDialog, entriesOf, playSoftSound }) => ({
      palette: new Palette(
        () => entriesOf({ ...parts.places(), commands: commands.available() }),
        new Recent(browserStore()),
      ),
      shortcuts: new ShortcutsDialog(commands),
      settings: new SettingsDialog(preferences, { playSound: playSoftSound }),
    }),
  );
  const togglePalette = () => {
    const typed = typeAhead();
    own.use(({ palette }) => palette.toggle(typed.take()), typed.take);
  };
  dialogs.whenHere(({ buttonCommands, preferenceCommands, mayNotify }) => {
    const turnOnNotifications = () => {
      if (mayNotify()) preferences.set({ notifications: true });
      else own.use(({ settings }) => settings.openNotifications());
    };
    commands.add(...preferenceCommands(preferences, { turnOnNotifications, said: say }));
    commands.add(...buttonCommands());
  });
  commands.add(
    help("palette.open", "Find a command or a session", ["Mod+K"], togglePalette),
    help("shortcuts.open", "Show keyboard shortcuts", ["?", "Mod+/"], () =>
      own.use(({ shortcuts }) => shortcuts.toggle()),
    ),
    {
      ...help("settings.open", "Open settings", ["Mod+,"], () =>
        own.use(({ settings }) => settings.toggle()),
      ),
      group: "Settings",
    },
    ...regionCommands(),
  );
}

function help(id: string, title: string, keys: string[], run: () => void): Command {
  return { id, title, group: "Help", keys, overDialogs: true, run };
}

function regionCommands(): Command[] {
  return [
    {
      id: "region.next",
      title: "Go to the next part of the page",
      group: "View",
      keys: ["F6"],
      repeats: true,
      run: () => goToRegion(1),
    },
    {
      id: "region.previous",
      title: "Go to the previous part of the page",
      group: "View",
      keys: ["Shift+F6"],
      repeats: true,
      run: () => goToRegion(-1),
    },
  ];
}
