// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "../src/server/connection";

class FakeSocket {
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static all: FakeSocket[] = [];
  readyState: number = FakeSocket.OPEN;
  readonly sent: string[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor() {
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  greet(): void {
    this.onopen?.();
    this.say("session:hello:ack");
  }

  say(type: string): void {
    this.onmessage?.({ data: JSON.stringify({ type }) });
  }
}

const SECOND = 1_000;
const listener = { stateChanged: () => {}, received: () => {}, refused: () => {} };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Seconds from the greeting until a silent socket is given up; the next one is greeted then. */
function secondsOfSilence(): number {
  const socket = FakeSocket.all.at(-1);
  let seconds = 0;
  while (socket && !socket.isClosed) {
    vi.advanceTimersByTime(SECOND);
    seconds += 1;
  }
  const count = FakeSocket.all.length;
  while (FakeSocket.all.length === count) vi.advanceTimersByTime(SECOND);
  FakeSocket.all.at(-1)?.greet();
  return seconds;
}

test("a silent server is asked and then given up, and each time waited for longer: a long message may be on its way", () => {
  new Connection("ws://localhost/ws", listener).start();
  FakeSocket.all[0]?.greet();
  const waits = Array.from({ length: 6 }, secondsOfSilence);
  expect(waits).toEqual([20, 25, 35, 55, 95, 95]);
});

test("an answer to the question ends the longer wait, other words do not", () => {
  new Connection("ws://localhost/ws", listener).start();
  FakeSocket.all[0]?.greet();
  expect(secondsOfSilence()).toBe(20);
  FakeSocket.all.at(-1)?.say("session:status");
  expect(secondsOfSilence()).toBe(25);
  vi.advanceTimersByTime(16 * SECOND);
  FakeSocket.all.at(-1)?.say("pong");
  expect(secondsOfSilence()).toBe(20);
});

test("a socket that is closing is written to no more, and who writes is told", () => {
  const connection = new Connection("ws://localhost/ws", listener);
  connection.start();
  const [socket] = FakeSocket.all;
  socket?.greet();
  expect(connection.send({ type: "ping" })).toBe(true);
  const sent = socket?.sent.length;
  if (socket) socket.readyState = FakeSocket.CLOSING;
  expect(connection.send({ type: "ping" })).toBe(false);
  expect(socket?.sent).toHaveLength(sent ?? 0);
});
