import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { HistoryPage } from "../src/contract";
import { StretchRefresh } from "../src/session/stretch-refresh";
import { history, message } from "./samples";

/** What the server answers, in this order; nothing is no answer. */
let answers: (HistoryPage | undefined)[] = [];
let asked: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  [answers, asked] = [[], []];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path.replace(/.*\?/, ""));
    const body = answers.shift();
    if (!body) throw new TypeError("no answer");
    return new Response(JSON.stringify(body));
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const page = (first: number, more: boolean) => {
  return history({ seq: 40, entries: [message(`m${first}`, first, first)], more });
};
const settled = () => vi.advanceTimersByTimeAsync(0);

function refresh() {
  const took: (number | undefined)[] = [];
  const made = new StretchRefresh((page) => took.push(page.entries[0]?.position));
  return { made, took };
}

test("goes back over all of the stretch, and is behind until then", async () => {
  answers = [page(20, true), page(8, true)];
  const { made, took } = refresh();
  made.begin("s", 30, { from: 10, to: 25 });
  expect(made.since).toBe(30);
  await settled();
  expect(asked).toEqual(["before=26&limit=500", "before=20&limit=500"]);
  expect(took).toEqual([20, 8]);
  expect(made.since).toBeUndefined();
});

test("is behind as long as there is no answer, and asks again", async () => {
  const { made, took } = refresh();
  answers = [undefined, page(5, false)];
  made.begin("s", 30, { from: 10, to: 25 });
  await settled();
  expect([made.since, took]).toEqual([30, []]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([made.since, took]).toEqual([undefined, [5]]);
});

test("goes on from the first that was missed when more is missed, and takes over nothing once it is not wanted", async () => {
  const { made, took } = refresh();
  answers = [undefined, page(5, false)];
  made.begin("s", 30, { from: 10, to: 25 });
  made.begin("s", 35, { from: 10, to: 25 });
  expect(made.since).toBe(30);
  await settled();
  expect([made.since, took]).toEqual([undefined, [5]]);
  answers = [page(5, false)];
  made.begin("s", 40, { from: 10, to: 25 });
  made.forget();
  await settled();
  expect([made.since, took]).toEqual([undefined, [5]]);
});
