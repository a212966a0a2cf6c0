// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { DirectoryField } from "../src/start/directory-field";

function shownField(): { field: DirectoryField; input: HTMLInputElement } {
  const field = new DirectoryField({ directories: async () => [], changed: () => {} });
  document.body.replaceChildren(field.root);
  const input = field.root.querySelector("input");
  if (!input) throw new Error("there is no input");
  return { field, input };
}

test("a suggestion that comes when one is about to write is written over", () => {
  const { field, input } = shownField();
  field.focus();
  field.suggest("/home/shop");
  expect([input.value, input.selectionStart, input.selectionEnd]).toEqual(["/home/shop", 0, 10]);
});

test("a suggestion takes neither the focus nor what is written", () => {
  const { field, input } = shownField();
  field.suggest("/home/shop");
  expect(document.activeElement).not.toBe(input);
  field.suggest("/home/other");
  expect(field.value).toBe("/home/shop");
});

test("Tab completes what is written, not what was offered for less of it", async () => {
  vi.useFakeTimers();
  const places = ["/home/alpha", "/home/beta"];
  const directories = async (written: string) => places.filter((place) => place.startsWith(written));
  const field = new DirectoryField({ directories, changed: () => {} });
  document.body.replaceChildren(field.root);
  const input = field.root.querySelector("input");
  if (!input) throw new Error("there is no input");
  const write = (text: string) => {
    input.value = text;
    input.dispatchEvent(new Event("input"));
  };
  field.focus();
  write("/home/");
  await vi.advanceTimersByTimeAsync(1_000);
  write("/home/be");
  const tab = new KeyboardEvent("keydown", { key: "Tab", cancelable: true });
  input.dispatchEvent(tab);
  expect([tab.defaultPrevented, input.value]).toEqual([true, "/home/be"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(input.value).toBe("/home/beta/");
  vi.useRealTimers();
});
