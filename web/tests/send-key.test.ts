import { expect, test } from "vitest";
import { isSendKey } from "../src/compose/send-key";

const enter = {
  key: "Enter",
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
};

test("Enter sends and Shift+Enter does not, or the other way round", () => {
  expect(isSendKey(enter, true)).toBe(true);
  expect(isSendKey({ ...enter, shiftKey: true }, true)).toBe(false);
  expect(isSendKey(enter, false)).toBe(false);
  expect(isSendKey({ ...enter, shiftKey: true }, false)).toBe(true);
});

test("with Ctrl or Command it always sends", () => {
  for (const doesEnterSend of [true, false]) {
    expect(isSendKey({ ...enter, ctrlKey: true }, doesEnterSend)).toBe(true);
    expect(isSendKey({ ...enter, metaKey: true }, doesEnterSend)).toBe(true);
  }
});

test("with Ctrl and Shift it is left to the command that sends now", () => {
  for (const doesEnterSend of [true, false])
    for (const held of ["ctrlKey", "metaKey"])
      expect(isSendKey({ ...enter, [held]: true, shiftKey: true }, doesEnterSend)).toBe(false);
});

test("an Enter that ends the input of a character sends nothing", () => {
  expect(isSendKey({ ...enter, isComposing: true }, true)).toBe(false);
  expect(isSendKey({ ...enter, key: "a" }, true)).toBe(false);
});
