// @vitest-environment happy-dom
/** What keys do to the options of a message while its answer is on its way, and after it. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MessageInput } from "../src/compose/message-input";

const COMMANDS = ["help", "list", "plan"].map((name) => ({ name, description: name }));
/** Longer than a pause after which options are asked for. */
const PAUSE_MS = 200;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function shown() {
  const sent: string[] = [];
  const input = new MessageInput({
    submit: () => {
      sent.push(input.text);
      input.text = "";
    },
    changed: () => {},
    prompts: () => [],
    commands: async () => COMMANDS,
    files: async () => [],
  });
  document.body.replaceChildren(input.field, input.list.root);
  input.field.focus();
  const type = (text: string) => {
    for (const character of text) {
      input.field.value += character;
      input.field.setSelectionRange(input.text.length, input.text.length);
      input.field.dispatchEvent(new Event("input"));
    }
  };
  const press = (key: string) => {
    const event = new KeyboardEvent("keydown", { key, cancelable: true, bubbles: true });
    input.field.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const options = () =>
    input.list.isOpen ? [...input.list.root.children].map((option) => option.textContent) : [];
  return { input, sent, type, press, options, pause: () => vi.advanceTimersByTimeAsync(PAUSE_MS) };
}

test("Enter sends what is written while the options are those of something else", async () => {
  const { sent, type, press, pause } = shown();
  type("/");
  await pause();
  type("plan");
  press("Enter");
  expect(sent).toEqual(["/plan"]);
});

test("Tab takes the option that comes for what is written, not the one in sight", async () => {
  const { input, type, press, pause } = shown();
  type("/");
  await pause();
  type("pl");
  expect(press("Tab")).toBe(true);
  expect(input.text).toBe("/pl");
  await pause();
  expect(input.text).toBe("/plan ");
});

test("Tab waits before there are any options too, but only once", async () => {
  const { input, type, press, pause } = shown();
  type("/pl");
  expect([press("Tab"), press("Tab")]).toEqual([true, false]);
  await pause();
  expect(input.text).toBe("/plan ");
});

test("Enter takes the option that is marked for what is written", async () => {
  const { input, sent, type, press, pause } = shown();
  type("/pl");
  await pause();
  press("Enter");
  expect([input.text, sent]).toEqual(["/plan ", []]);
});

test("a command that follows one that was sent is completed as well", async () => {
  const { sent, type, press, pause, options } = shown();
  for (const _ of ["first", "second"]) {
    type("/plan");
    await pause();
    expect(options()).toEqual(["/planplan"]);
    press("Enter");
  }
  expect(sent).toEqual(["/plan", "/plan"]);
});

test("options come again for what is taken back, after nothing fitted", async () => {
  const { input, type, pause, options } = shown();
  type("/plx");
  await pause();
  expect(options()).toEqual([]);
  input.field.value = "/p";
  type("l");
  await pause();
  expect(options()).toEqual(["/planplan"]);
});

test("what Esc closed stays closed, also if an answer is on its way, until something else is written", async () => {
  const { input, type, press, pause, options } = shown();
  type("/p");
  await pause();
  type("l");
  press("Escape");
  await pause();
  type("a");
  await pause();
  expect(options()).toEqual([]);
  input.text = "";
  type("/pl");
  await pause();
  expect(options()).toEqual(["/planplan"]);
});
