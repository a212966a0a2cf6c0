import { expect, test } from "vitest";
import { pillText } from "../src/transcript/jump-pill";
import { FOLLOWING, keptRows, newestRows, READING } from "../src/transcript/visible-rows";

test("rows are let go only when there are too many, and those around the reader stay", () => {
  expect(keptRows(READING.most, 0, 20)).toBeUndefined();
  expect(keptRows(500, 0, 20)).toEqual({ from: 0, to: 170 });
  expect(keptRows(500, 480, 499)).toEqual({ from: 330, to: 499 });
  expect(keptRows(1_000, 400, 420)).toEqual({ from: 250, to: 570 });
  expect(keptRows(FOLLOWING.most, 190, 199, FOLLOWING)).toBeUndefined();
  expect(keptRows(201, 195, 200, FOLLOWING)).toEqual({ from: 95, to: 200 });
  expect(newestRows(FOLLOWING.most)).toBeUndefined();
  expect(newestRows(900)).toEqual({ from: 700, to: 899 });
});

test("the way to the end says how much is new there", () => {
  expect(pillText(0)).toBe("Jump to latest");
  expect(pillText(1_200)).toBe("Jump to latest (1,200 new)");
});
