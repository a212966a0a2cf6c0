import fc from "fast-check";
import { expect, test } from "vitest";
import { reconnectDelay } from "../src/server/reconnect-delay";

test("the wait doubles from half a second up to five seconds", () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((retry) => reconnectDelay(retry, 0.5))).toEqual([
    500, 1000, 2000, 4000, 5000, 5000, 5000,
  ]);
});

test("chance makes the wait a fifth shorter or longer at most", () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat({ max: 2000 }), chance, (retry, random) => {
      const full = reconnectDelay(retry, 0.5);
      expect(reconnectDelay(retry, random)).toBeGreaterThanOrEqual(full * 0.8);
      expect(reconnectDelay(retry, random)).toBeLessThanOrEqual(full * 1.2);
    }),
  );
});
