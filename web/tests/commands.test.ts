import { describe, expect, test } from "vitest";
import { keyNames, matches } from "../src/commands/chord";
import { type Command, Commands } from "../src/commands/commands";

const press = (
  key: string,
  held: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

const command = (id: string, rest: Partial<Command> = {}): Command => ({
  id,
  title: id,
  group: "View",
  run: () => {},
  ...rest,
});

describe("chords", () => {
  test("Mod is Ctrl or Command", () => {
    expect(matches("Mod+K", press("k", { ctrlKey: true }))).toBe(true);
    expect(matches("Mod+K", press("k", { metaKey: true }))).toBe(true);
    expect(matches("Mod+K", press("k"))).toBe(false);
    expect(matches("Mod+K", press("k", { ctrlKey: true, altKey: true }))).toBe(false);
  });

  test("a character is itself however it is typed", () => {
    expect(matches("?", press("?", { shiftKey: true }))).toBe(true);
    expect(matches("?", press("?"))).toBe(true);
    expect(matches("Mod+Shift+F", press("F", { ctrlKey: true, shiftKey: true }))).toBe(true);
    expect(matches("Mod+Shift+F", press("f", { ctrlKey: true }))).toBe(false);
  });

  test("named keys mind Shift", () => {
    expect(matches("Escape", press("Escape"))).toBe(true);
    expect(matches("F6", press("F6", { shiftKey: true }))).toBe(false);
  });

  test("with Option or on another script the place of the key counts", () => {
    expect(matches("Alt+T", { ...press("†", { altKey: true }), code: "KeyT" })).toBe(true);
    expect(matches("Mod+K", { ...press("л", { ctrlKey: true }), code: "KeyK" })).toBe(true);
    expect(matches("Mod+K", { ...press("t", { ctrlKey: true }), code: "KeyK" })).toBe(false);
    expect(matches("k", { ...press("л"), code: "KeyK" })).toBe(false);
  });

  test("are shown as the keyboard names them", () => {
    expect(keyNames("Mod+Shift+k", false)).toEqual(["Ctrl", "Shift", "K"]);
    expect(keyNames("Mod+ArrowUp", true)).toEqual(["⌘", "↑"]);
    expect(keyNames("Alt+Shift+n", true)).toEqual(["⌥", "⇧", "N"]);
    expect(keyNames("Mod+,", false)).toEqual(["Ctrl", ","]);
  });
});

describe("commands", () => {
  test("a name is given once", () => {
    const commands = new Commands();
    commands.add(command("a"));
    expect(() => commands.add(command("a"))).toThrow("two commands a");
  });

  test("what is not available is not run", () => {
    const commands = new Commands();
    commands.add(command("a", { keys: ["x"], isAvailable: () => false }));
    expect(commands.available()).toEqual([]);
    expect(commands.forKey(press("x"), false)).toBeUndefined();
  });

  test("typed characters belong to what is being written", () => {
    const commands = new Commands();
    commands.add(command("a", { keys: ["?", "Mod+/"] }));
    expect(commands.forKey(press("?", { shiftKey: true }), true)).toBeUndefined();
    expect(commands.forKey(press("?", { shiftKey: true }), false)?.id).toBe("a");
    expect(commands.forKey(press("/", { ctrlKey: true }), true)?.id).toBe("a");
  });

  test("while a dialog is open only those run that are meant for it", () => {
    const commands = new Commands();
    commands.add(command("a", { keys: ["F6"] }), command("b", { keys: ["Mod+K"], overDialogs: true }));
    expect(commands.forKey(press("F6"), false, true)).toBeUndefined();
    expect(commands.forKey(press("k", { ctrlKey: true }), true, true)?.id).toBe("b");
  });
});
