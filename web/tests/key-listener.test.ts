// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { Commands } from "../src/commands/commands";
import { listenForKeys } from "../src/commands/key-listener";

const ran: string[] = [];
const commands = new Commands();
const one = (id: string, key: string) => ({
  id,
  title: id,
  group: "View" as const,
  keys: [key],
  run: () => void ran.push(id),
});
commands.add(one("stop", "Escape"), { ...one("next", "Alt+ArrowDown"), repeats: true });
listenForKeys(commands, () => {});

beforeEach(() => ran.splice(0));

/** Whether the browser is left to do what it does with it. */
function press(key: string, init: KeyboardEventInit = {}): boolean {
  return window.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true, ...init }));
}

test("a key that is held does its thing once, and the browser nothing", () => {
  expect([press("Escape"), press("Escape", { repeat: true }), press("Escape", { repeat: true })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(ran).toEqual(["stop"]);
});

test("a key that goes from one to the next goes on while it is held", () => {
  press("ArrowDown", { altKey: true });
  press("ArrowDown", { altKey: true, repeat: true });
  expect(ran).toEqual(["next", "next"]);
});

test("the first press counts again once the key was let go", () => {
  press("Escape");
  press("Escape", { repeat: true });
  press("Escape");
  expect(ran).toEqual(["stop", "stop"]);
});
