/** A command for every way in which the page can look and tell; what is so already is not offered. */
import type { Command } from "../commands/commands";
import { CHOICES, type PreferenceName, type PreferenceStore, type Preferences } from "./preferences";

/** Every choice as something to do, in the order of `CHOICES`. */
const TITLES: { [Name in PreferenceName]: Record<string, string> } = {
  theme: {
    system: "Use the theme of the system",
    light: "Use light theme",
    dark: "Use dark theme",
  },
  contrast: { normal: "Use normal contrast", high: "Use high contrast" },
  textSize: { normal: "Use normal text", small: "Use small text", large: "Use large text" },
  density: { comfortable: "Use comfortable spacing", compact: "Use compact spacing" },
  motion: { system: "Move as the system does", reduced: "Reduce motion" },
  enterSends: { true: "Send with Enter", false: "Send with Ctrl+Enter, Enter starts a new line" },
  sound: { false: "Turn sound off", true: "Turn sound on" },
  saysTools: { false: "Do not say tool calls", true: "Say finished tool calls to screen readers" },
  notifications: { false: "Turn notifications off", true: "Turn notifications on" },
};

export type PreferenceCommandActions = {
  /** The browser lets only a click in the settings ask whether notifications may be shown. */
  turnOnNotifications(): void;
  /** Tells what was changed, for those who do not see it. */
  said(text: string): void;
};

export function preferenceCommands(
  preferences: PreferenceStore,
  actions: PreferenceCommandActions,
): Command[] {
  const names = Object.keys(CHOICES) as PreferenceName[];
  const choose = (name: PreferenceName, value: Preferences[PreferenceName]) => {
    if (name === "notifications" && value === true) actions.turnOnNotifications();
    else preferences.set({ [name]: value });
  };
  const chosen = names.flatMap((name) =>
    CHOICES[name].map(
      (value): Command => ({
        id: `settings.${name}.${value}`,
        title: TITLES[name][String(value)] ?? "",
        group: "Settings",
        isAvailable: () => preferences.all[name] !== value,
        run: () => choose(name, value),
      }),
    ),
  );
  return [...chosen, themeCycle(preferences, actions)];
}

function themeCycle(preferences: PreferenceStore, { said }: PreferenceCommandActions): Command {
  return {
    id: "settings.theme.next",
    title: "Change theme: light, dark, system",
    group: "Settings",
    keys: ["Alt+T"],
    overDialogs: true,
    run: () => {
      const next = nextTheme(preferences.all.theme);
      preferences.set({ theme: next });
      said(`Theme: ${next}`);
    },
  };
}

export function nextTheme(theme: Preferences["theme"]): Preferences["theme"] {
  const { theme: themes } = CHOICES;
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? themes[0];
}
