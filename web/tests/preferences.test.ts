import { describe, expect, test, vi } from "vitest";
import { attributesOf } from "../src/preferences/apply";
import { nextOf, preferenceCommands } from "../src/preferences/preference-commands";
import { CHOICES, KEPT_AS, PreferenceStore, readPreferences } from "../src/preferences/preferences";

const DEFAULTS = readPreferences(null);

function memory(kept: Record<string, string> = {}) {
  const texts = new Map(Object.entries(kept));
  return {
    length: 0,
    key: () => null,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
}

describe("what was kept", () => {
  test("is nothing at first, and then every preference is the first of its choices", () => {
    expect(DEFAULTS).toEqual({
      theme: "system",
      contrast: "normal",
      textSize: "normal",
      density: "comfortable",
      motion: "system",
      enterSends: true,
      sound: false,
      saysTools: false,
      notifications: false,
    });
  });

  test.each([["not JSON"], ["null"], ["[]"], ['"text"'], ['{"theme":"pink","sound":"yes","enterSends":0}']])(
    "is not trusted: %s",
    (kept) => expect(readPreferences(kept)).toEqual(DEFAULTS),
  );

  test("is taken as far as it is understood", () => {
    expect(readPreferences('{"theme":"dark","contrast":"pink","extra":1}')).toEqual({
      ...DEFAULTS,
      theme: "dark",
    });
  });
});

describe("preferences", () => {
  test("are kept, and tell those who follow", () => {
    const store = memory();
    const preferences = new PreferenceStore(store);
    const followed = vi.fn();
    preferences.follow(followed);
    expect(followed).toHaveBeenLastCalledWith(DEFAULTS);
    preferences.set({ enterSends: false });
    expect(preferences.enterSends).toBe(false);
    expect(followed).toHaveBeenLastCalledWith({ ...DEFAULTS, enterSends: false });
    expect(new PreferenceStore(store).enterSends).toBe(false);
  });

  test("follow another tab", () => {
    const preferences = new PreferenceStore(memory());
    const followed = vi.fn();
    preferences.follow(followed);
    preferences.changedElsewhere('{"theme":"light"}');
    expect(followed).toHaveBeenLastCalledWith({ ...DEFAULTS, theme: "light" });
    preferences.changedElsewhere(null);
    expect(preferences.all).toEqual(DEFAULTS);
  });

  test("last as long as the page where nothing can be kept", () => {
    const refuse = () => {
      throw new Error("no");
    };
    const preferences = new PreferenceStore({ ...memory(), getItem: refuse, setItem: refuse });
    preferences.set({ theme: "dark" });
    expect(preferences.all.theme).toBe("dark");
    expect(KEPT_AS).toBe("liminal-preferences");
  });
});

test("the theme goes round", () => {
  expect(CHOICES.theme.map((theme) => nextOf("theme", theme))).toEqual(["light", "dark", "system"]);
});

test("what the system asks for counts as chosen", () => {
  const none = { moreContrast: false, lessMotion: false };
  expect(attributesOf(DEFAULTS, none)).toMatchObject({ contrast: "normal", motion: "system" });
  expect(attributesOf(DEFAULTS, { moreContrast: true, lessMotion: true })).toMatchObject({
    contrast: "high",
    motion: "reduced",
  });
  expect(attributesOf({ ...DEFAULTS, contrast: "high", motion: "reduced" }, none)).toMatchObject({
    contrast: "high",
    motion: "reduced",
  });
});

test("the key of a setting goes through all of its values, and says which one holds", () => {
  const preferences = new PreferenceStore(memory());
  const said = vi.fn();
  const turnOnNotifications = () => preferences.set({ notifications: true });
  const commands = preferenceCommands(preferences, { said, turnOnNotifications });
  for (const [name, values] of Object.entries(CHOICES)) {
    const cycle = commands.find(({ id }) => id === `settings.${name}.next`);
    const seen = values.map(() => {
      cycle?.run();
      return preferences.all[name as keyof typeof CHOICES];
    });
    expect(seen, name).toEqual([...values.slice(1), values[0]]);
  }
  expect(said.mock.calls.flat()).toEqual(
    expect.arrayContaining(["Contrast: high", "Sound: on", "Sound: off"]),
  );
});

test("notifications that are not turned on are not said to be", () => {
  const preferences = new PreferenceStore(memory());
  const said = vi.fn();
  const commands = preferenceCommands(preferences, { said, turnOnNotifications: () => {} });
  commands.find(({ id }) => id === "settings.notifications.next")?.run();
  expect(said).not.toHaveBeenCalled();
});
