/**
 * A command for every way in which the page can look and tell; what is so already is not offered. Each setting has one more, with a
 * key that goes through its values.
 */
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

type Cycle = { title: string; label: string; key: string };

/** Digits in the order of the settings, so that whoever knows that one knows all. */
const CYCLES: { [Name in PreferenceName]: Cycle } = {
  theme: { title: "Change theme: light, dark, system", label: "Theme", key: "Alt+T" },
  contrast: { title: "Change contrast: normal, high", label: "Contrast", key: "Alt+Shift+1" },
  textSize: { title: "Change text size: normal, small, large", label: "Text size", key: "Alt+Shift+2" },
  density: { title: "Change spacing: comfortable, compact", label: "Spacing", key: "Alt+Shift+3" },
  motion: { title: "Change motion: as the system, reduced", label: "Motion", key: "Alt+Shift+4" },
  enterSends: { title: "Change what Enter does: send, new line", label: "Enter sends", key: "Alt+Shift+5" },
  notifications: { title: "Notifications on or off", label: "Notifications", key: "Alt+Shift+6" },
  sound: { title: "Sound on or off", label: "Sound", key: "Alt+Shift+7" },
  saysTools: { title: "Tool calls said or not", label: "Tool calls said", key: "Alt+Shift+8" },
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
  const cycle = (name: PreferenceName): Command => ({
    id: `settings.${name}.next`,
    title: CYCLES[name].title,
    group: "Settings",
    keys: [CYCLES[name].key],
    overDialogs: true,
    run: () => {
      const next = nextOf(name, preferences.all[name]);
      choose(name, next);
      if (preferences.all[name] === next) actions.said(`${CYCLES[name].label}: ${worded(next)}`);
    },
  });
  return [...chosen, ...names.map(cycle)];
}

export function nextOf(
  name: PreferenceName,
  value: Preferences[PreferenceName],
): Preferences[PreferenceName] {
  const values: readonly Preferences[PreferenceName][] = CHOICES[name];
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}

function worded(value: Preferences[PreferenceName]): string {
  if (typeof value === "string") return value;
  return value ? "on" : "off";
}
