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

  test("a chord without Shift is not run with it", () => {
    expect(matches("Alt+A", press("A", { altKey: true, shiftKey: true }))).toBe(false);
    expect(matches("Mod+B", press("B", { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(matches("j", press("J", { shiftKey: true }))).toBe(false);
    expect(matches("Alt+T", { ...press("ˇ", { altKey: true, shiftKey: true }), code: "KeyT" })).toBe(false);
    expect(matches("Alt+5", { ...press("%", { altKey: true, shiftKey: true }), code: "Digit5" })).toBe(false);
    expect(matches("Alt+Shift+T", { ...press("ˇ", { altKey: true, shiftKey: true }), code: "KeyT" })).toBe(
      true,
    );
    // The "/" of a German keyboard is Shift+7, and Caps Lock is not Shift.
    expect(matches("Mod+/", { ...press("/", { ctrlKey: true, shiftKey: true }), code: "Digit7" })).toBe(true);
    expect(matches("j", press("J"))).toBe(true);
  });

  test("a symbol that Option writes elsewhere is not the chord of that symbol", () => {
    const german = { ...press("[", { altKey: true }), code: "Digit5" };
    expect(matches("Alt+[", german)).toBe(false);
    expect(matches("Alt+5", german)).toBe(true);
    expect(matches("Alt+[", { ...press("[", { altKey: true }), code: "BracketLeft" })).toBe(true);
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

  describe("with Option or AltGr, while text is being written", () => {
    const commands = new Commands();
    for (const key of "LNRT3567") commands.add(command(key, { keys: [`Alt+${key}`] }));
    commands.add(command("[", { keys: ["Alt+["] }), command("up", { keys: ["Alt+ArrowUp"] }));
    const found = (key: string, code: string, isMac: boolean, isWriting = true, held = {}) =>
      commands.forKey({ ...press(key, { altKey: true }), code, ...held }, isWriting, false, isMac)?.id;

    test("the characters of a Mac are typed", () => {
      const characters = {
        "@": "KeyL",
        Dead: "KeyN",
        "[": "Digit5",
        "]": "Digit6",
        "|": "Digit7",
        "#": "Digit3",
      };
      for (const [key, code] of Object.entries(characters)) {
        expect(found(key, code, true), key).toBeUndefined();
        expect(found(key, code, true, false), key).toBe(code.at(-1));
      }
    });

    test("what writes nothing runs its command", () => {
      expect(found("l", "KeyL", true)).toBe("L");
      expect(found("ArrowUp", "ArrowUp", true)).toBe("up");
      // Alt writes nothing where there is no Option, whatever the script.
      expect(found("т", "KeyN", false)).toBe("N");
    });

    test("AltGr types, however it is told", () => {
      expect(found("@", "KeyL", false, true, { ctrlKey: true })).toBeUndefined();
      expect(found("@", "KeyL", false, true, { getModifierState: () => true })).toBeUndefined();
      expect(found("@", "KeyL", false, true, { altKey: false })).toBeUndefined();
    });
  });

  test("while a dialog is open only those run that are meant for it", () => {
    const commands = new Commands();
    commands.add(command("a", { keys: ["F6"] }), command("b", { keys: ["Mod+K"], overDialogs: true }));
    expect(commands.forKey(press("F6"), false, true)).toBeUndefined();
    expect(commands.forKey(press("k", { ctrlKey: true }), true, true)?.id).toBe("b");
  });
});
