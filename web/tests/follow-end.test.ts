import { expect, test } from "vitest";
import { stillFollows } from "../src/transcript/follow-end";

const atEnd = { top: 400, height: 1000, visible: 600 };

test("a reader at the end is followed", () => {
  expect(stillFollows(false, { ...atEnd, top: 300 }, atEnd)).toBe(true);
});

test("growth alone does not end following", () => {
  expect(stillFollows(true, atEnd, { ...atEnd, height: 1500 })).toBe(true);
});

test("moving up ends it", () => {
  expect(stillFollows(true, atEnd, { ...atEnd, top: 200 })).toBe(false);
});

test("moving down short of the end does not begin it", () => {
  expect(stillFollows(false, { ...atEnd, top: 100 }, { ...atEnd, top: 200 })).toBe(false);
});
