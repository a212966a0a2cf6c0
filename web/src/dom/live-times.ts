/**
 * Times that go on while they are shown: how long something runs, and how long ago something was.
 *
 * Nobody registers: whatever bears the class is rewritten, for as long as it is on the page.
 */
import type { Timestamp } from "../contract";
import { ago, clock, day, seconds } from "../text/time-text";
import { setText } from "./dom";

const SECOND_MS = 1_000;
const SECONDS_PER_AGO = 30;

let ticks = 0;

/** Shows the whole seconds since a moment, from now on. */
export function showElapsed(target: HTMLElement, since: Timestamp): void {
  start();
  target.classList.add("elapsed");
  target.dataset.since = since;
  drawElapsed(target);
}

export function stopElapsed(target: HTMLElement): void {
  target.classList.remove("elapsed");
}

/** Shows how long ago a moment was; the moment itself is told to those who look closer. */
export function showAgo(target: HTMLTimeElement, time: Timestamp): void {
  start();
  if (target.dateTime === time && target.classList.contains("ago")) return;
  target.classList.add("ago");
  target.dateTime = time;
  target.dataset.exact = exact(time);
  target.title = exact(time);
  drawAgo(target);
}

function start(): void {
  if (ticks === 0) setInterval(tick, SECOND_MS);
  ticks ||= 1;
}

function tick(): void {
  ticks += 1;
  if (document.hidden) return;
  for (const target of document.getElementsByClassName("elapsed")) drawElapsed(target as HTMLElement);
  if (ticks % SECONDS_PER_AGO !== 0) return;
  for (const target of document.getElementsByClassName("ago")) drawAgo(target as HTMLTimeElement);
}

function drawElapsed(target: HTMLElement): void {
  setText(target, seconds((Date.now() - Date.parse(target.dataset.since ?? "")) / 1000));
}

function drawAgo(target: HTMLTimeElement): void {
  setText(target, ago(target.dateTime, new Date()));
}

function exact(time: Timestamp): string {
  const date = day(time);
  return date === "" ? "" : `${date}, ${clock(time, true)}`;
}
