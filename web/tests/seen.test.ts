import { expect, test } from "vitest";
import { isUnread, looked, readSeen } from "../src/sidebar/seen";
import { session } from "./samples";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const ms = (seconds: number) => Date.parse(at(seconds));
const fresh = readSeen(undefined, ms(10));

test("what happened before this browser kept count is no news", () => {
  expect(isUnread(fresh, session("a", { lastActiveAt: at(9) }))).toBe(false);
  expect(isUnread(fresh, session("a", { lastActiveAt: at(11) }))).toBe(true);
});

test("a session in which nothing has happened is no news", () => {
  expect(isUnread(fresh, session("a", { createdAt: at(11), lastActiveAt: at(11) }))).toBe(false);
});

test("what is at work, asks or was archived is not called unread", () => {
  const later = { lastActiveAt: at(20) };
  expect(isUnread(fresh, session("a", { ...later, activity: "running" }))).toBe(false);
  expect(isUnread(fresh, session("a", { ...later, activity: "permission" }))).toBe(false);
  expect(isUnread(fresh, session("a", { ...later, archived: true }))).toBe(false);
  expect(isUnread(fresh, session("a", { ...later, activity: "error" }))).toBe(true);
});

test("looking at a session makes it read until it is active again, whatever the clock here says", () => {
  const finished = session("a", { lastActiveAt: at(20) });
  const seen = looked(fresh, finished);
  expect(isUnread(seen, finished)).toBe(false);
  expect(isUnread(seen, session("a", { lastActiveAt: at(21) }))).toBe(true);
  expect(isUnread(seen, session("b", { lastActiveAt: at(20) }))).toBe(true);
});

test("of very many that were looked at, those longest ago do not turn unread again", () => {
  const many = Array.from({ length: 2_100 }, (_, n) => session(`s${n}`, { lastActiveAt: at(n + 20) }));
  const seen = many.reduce((known, one) => looked(known, one), fresh);
  expect(many.filter((one) => isUnread(seen, one))).toEqual([]);
  expect(Object.keys(seen.at)).toHaveLength(2_000);
  expect(isUnread(seen, session("new", { lastActiveAt: at(9_000) }))).toBe(true);
});

test("what is kept is read again, whatever it is", () => {
  const seen = looked(fresh, session("a", { lastActiveAt: at(20) }));
  expect(readSeen(JSON.parse(JSON.stringify(seen)), 0)).toEqual(seen);
  expect(readSeen({ since: "x", at: { a: "y", b: 3 } }, 7)).toEqual({ since: 7, at: { b: 3 } });
  expect(readSeen([1], 7)).toEqual({ since: 7, at: {} });
});
