// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { Later } from "../src/dom/later";

test("it is fetched once, whoever wants it", async () => {
  const fetch = vi.fn(async () => "part");
  const later = new Later(fetch);
  const made = later.make((part) => ({ part }));
  const [first, second] = [vi.fn(), vi.fn()];
  made.use(first);
  made.use(second);
  await vi.waitFor(() => expect(second).toHaveBeenCalledWith({ part: "part" }));
  expect(first.mock.calls[0]?.[0]).toBe(second.mock.calls[0]?.[0]);
  expect(fetch).toHaveBeenCalledOnce();
});

test("what waits for it is done when it comes, and at once when it is there", async () => {
  const later = new Later(async () => "part");
  const [before, after] = [vi.fn(), vi.fn()];
  later.whenHere(before);
  await new Promise<void>((done) => later.use(() => done()));
  expect(before).toHaveBeenCalledExactlyOnceWith("part");
  later.whenHere(after);
  expect(after).toHaveBeenCalledExactlyOnceWith("part");
});

test("one that could not be fetched says so, and is fetched again", async () => {
  const fetch = vi.fn(async () => "part").mockRejectedValueOnce(new Error("away"));
  const later = new Later(fetch);
  await new Promise<void>((failed) => later.use(() => {}, failed));
  expect(await new Promise((work) => later.use(work))).toBe("part");
});

test("what nobody wanted yet is not made", async () => {
  const made = new Later(async () => "part").make((part) => ({ part }));
  const parts: string[] = [];
  made.ifMade(({ part }) => parts.push(part));
  await new Promise<void>((resolve) => made.use(() => resolve()));
  expect(parts).toEqual([]);
  made.ifMade(({ part }) => parts.push(part));
  expect(parts).toEqual(["part"]);
});
