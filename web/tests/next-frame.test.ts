import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NextFrame } from "../src/dom/next-frame";

/** A page that can be hidden, and whose frames come when the test says so. */
const page = Object.assign(new EventTarget(), { hidden: false });
let frames: (() => void)[] = [];

function turn(hidden: boolean): void {
  page.hidden = hidden;
  page.dispatchEvent(new Event("visibilitychange"));
}

function nextFrame(): void {
  const due = frames;
  frames = [];
  for (const run of due) run();
}

beforeEach(() => {
  vi.useFakeTimers();
  page.hidden = false;
  frames = [];
  vi.stubGlobal("document", page);
  vi.stubGlobal("requestAnimationFrame", (run: () => void) => frames.push(run));
  vi.stubGlobal("cancelAnimationFrame", (id: number) => frames.splice(id - 1, 1));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("work that is asked for many times is done once per frame", () => {
  const work = vi.fn();
  const frame = new NextFrame(work);
  for (let times = 0; times < 5; times += 1) frame.ask();
  expect(work).not.toHaveBeenCalled();
  nextFrame();
  expect(work).toHaveBeenCalledTimes(1);
  frame.ask();
  nextFrame();
  expect(work).toHaveBeenCalledTimes(2);
});

test("a hidden page works once a second", () => {
  const work = vi.fn();
  const frame = new NextFrame(work);
  page.hidden = true;
  for (let times = 0; times < 5; times += 1) frame.ask();
  vi.advanceTimersByTime(999);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledTimes(1);
});

test("what waits for a frame when the page is hidden is done nevertheless, and the other way round at once", () => {
  const work = vi.fn();
  const frame = new NextFrame(work);
  frame.ask();
  turn(true);
  expect(frames).toHaveLength(0);
  vi.advanceTimersByTime(1000);
  expect(work).toHaveBeenCalledTimes(1);
  frame.ask();
  turn(false);
  nextFrame();
  expect(work).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(5000);
  expect(work).toHaveBeenCalledTimes(2);
});

test("who cannot wait has it done before the frame, once", () => {
  const work = vi.fn();
  const frame = new NextFrame(work);
  frame.now();
  expect(work).not.toHaveBeenCalled();
  frame.ask();
  frame.now();
  expect(work).toHaveBeenCalledTimes(1);
  nextFrame();
  expect(work).toHaveBeenCalledTimes(1);
});
