// @vitest-environment happy-dom
import { expect, test } from "vitest";
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
