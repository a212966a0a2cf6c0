import fc from "fast-check";
import { expect, test } from "vitest";
import { itemHash, routeOf, sessionHash } from "../src/route";

test("an address asks for a login, a session, a new one or nothing", () => {
  expect(routeOf("#login=abc")).toEqual({ kind: "login", code: "abc" });
  expect(routeOf("#/new")).toEqual({ kind: "new" });
  expect(routeOf("#/s/abc")).toEqual({ kind: "session", sessionId: "abc" });
  expect(["", "#", "#/s/", "#other"].map(routeOf)).toEqual(Array(4).fill({ kind: "home" }));
});

test("every session has an address that leads back to it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (sessionId) => {
      expect(routeOf(sessionHash(sessionId))).toEqual({ kind: "session", sessionId });
    }),
  );
});

test("every item has an address that leads back to it", () => {
  const id = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(id, id, (sessionId, itemId) => {
      expect(routeOf(itemHash(sessionId, itemId))).toEqual({ kind: "session", sessionId, itemId });
    }),
  );
});

test("an address that is badly encoded is taken as it is", () => {
  expect(routeOf("#/s/%")).toEqual({ kind: "session", sessionId: "%" });
});
