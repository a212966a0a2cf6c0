import { expect, test } from "vitest";
import { allowedWidth, readWidth, widthByKey } from "../src/shell/sidebar-width";

test.each([
  [100, 1280, 220],
  [300, 1280, 300],
  [900, 1280, 640],
  [900, 800, 480],
  [900, 300, 220],
])("%d px in a window of %d px are %d px", (width, windowWidth, allowed) => {
  expect(allowedWidth(width, windowWidth)).toBe(allowed);
});

test.each([
  ["ArrowLeft", false, 244],
  ["ArrowRight", false, 276],
  ["ArrowRight", true, 292],
  ["Home", false, 220],
  ["End", false, 640],
  ["x", false, undefined],
])("%s (Shift: %s) makes %s px of 260", (key, shiftKey, width) => {
  expect(widthByKey(260, { key, shiftKey }, 1280)).toBe(width);
});

test("what was kept is a width, or none", () => {
  expect([300, "300", null, Number.NaN].map(readWidth)).toEqual([300, 260, 260, 260]);
});
