import { expect, test } from "vitest";
import { barKeys } from "../src/turn-times/times-row";
import type { TimeBar } from "../src/turn-times/turn-times";

const bar = (part: Partial<TimeBar>): TimeBar => ({
  kind: "tool",
  name: "Bash",
  nested: false,
  from: 0,
  to: 1,
  ...part,
});

test("a bar is the same one while it grows, and no two are", () => {
  const call = bar({ itemId: "c", from: 5 });
  const silence = bar({ kind: "quiet", name: "Nothing told", from: 9, to: 12 });
  const before = barKeys([call, silence]);
  expect(barKeys([bar({ ...call, to: 9 }), bar({ ...silence, to: 30 })])).toEqual(before);
  const asked = bar({ kind: "person", itemId: "c", from: 6 });
  expect(new Set(barKeys([call, asked, asked, silence])).size).toBe(4);
});
