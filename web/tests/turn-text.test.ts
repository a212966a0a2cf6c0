import { expect, test } from "vitest";
import type { TurnEvent } from "../src/contract";
import { applyTurn, emptyTimeline, type Turn } from "../src/timeline/timeline";
import { turnFailure } from "../src/transcript/turn-failure";
import { exactUsage, turnFacts, turnState, turnWord } from "../src/transcript/turn-text";
import { completed, started } from "./samples";

function turnOf(...events: TurnEvent[]): Turn {
  const last = events.reduce(
    (timeline, event) => applyTurn(timeline, event.seq ?? 0, event).timeline,
    emptyTimeline,
  );
  return last.turns.get("t") ?? { turnId: "t" };
}

const begun = started("t", 1);

function turnText(turn: Turn, asks = false): string {
  return [turnWord(turn, asks), ...turnFacts(turn)].join(" · ");
}

test("a turn runs until it has ended", () => {
  expect(turnState(turnOf(begun))).toBe("running");
  expect(turnState(turnOf(begun, completed("t", 2)))).toBe("completed");
});

test("a completed turn tells its time and what it used", () => {
  const usage = { inputTokens: 1204, outputTokens: 512, costUsd: 0.021 };
  const ended: TurnEvent = { ...completed("t", 2), at: "2026-01-01T00:01:05.000Z", usage } as TurnEvent;
  expect(exactUsage(turnOf(begun, ended))).toBe("1,204 tokens in\n512 tokens out");
  expect(turnText(turnOf(begun, ended))).toBe(
    "Completed · 1 min 5 s · model · 1.2k tokens in, 512 out · $0.02",
  );
});

test("a turn whose agent tells only how full its window is tells that", () => {
  const told = (usage: object) => {
    const ended = { ...completed("t", 2), at: "2026-01-01T00:00:01.000Z" };
    return turnText(
      turnOf(begun, { ...ended, usage: { inputTokens: 0, outputTokens: 0, ...usage } } as TurnEvent),
    );
  };
  expect(told({ contextTokens: 12_000, contextWindow: 200_000 })).toBe(
    "Completed · 1.0 s · model · 12k of 200k tokens of context",
  );
  expect(told({ contextTokens: 5 })).toBe("Completed · 1.0 s · model · 5 tokens of context");
  expect(told({})).toBe("Completed · 1.0 s · model · usage unknown");
});

test("a failed turn tells why", () => {
  const base = { turnId: "t", sessionId: "s", seq: 2 };
  const failed: TurnEvent = {
    ...base,
    type: "turn_error",
    errorCode: "PROCESS_CRASH",
    errorMessage: "it is gone",
  };
  expect(turnState(turnOf(begun, failed))).toBe("failed");
  expect(turnFailure(turnOf(begun, failed))).toMatchObject({
    code: "PROCESS_CRASH",
    message: "it is gone",
    title: "The agent's process ended",
  });
});

test("a turn that asks says that it waits, and not that it works", () => {
  expect(turnText(turnOf(begun))).toBe("Working");
  expect(turnText(turnOf(begun), true)).toBe("Waiting for your answer");
  expect(turnText(turnOf(begun, completed("t", 2)), true)).toMatch(/^Completed/);
});

test("a cancelled turn that used nothing says nothing of what it used", () => {
  const cancelled = (usage: object) => {
    const nothing = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
    const ended = { ...completed("t", 2), status: "cancelled", usage: { ...nothing, ...usage } };
    return turnText(turnOf(begun, ended as TurnEvent));
  };
  expect(cancelled({})).toBe("Cancelled · model");
  expect(cancelled({ inputTokens: 3 })).toBe("Cancelled · model · 3 tokens in, 0 out");
  expect(cancelled({ inputTokens: 3, costUsd: 0.0001 })).toBe(
    "Cancelled · model · 3 tokens in, 0 out · less than $0.01",
  );
});

test.each([
  ["RESPONSE_ERROR", "rate_limit", "The rate limit is reached", false],
  ["RESPONSE_ERROR", "overloaded", "The model has too much to do", false],
  ["OVERLOADED", undefined, "The model has too much to do", false],
  ["INTERRUPTED", undefined, "The turn was cut short", true],
  ["RESPONSE_ERROR", "unheard_of", "The turn failed", false],
] as const)(
  "a turn that failed with %s, %s says what happened and what to do",
  (errorCode, errorClass, title, isCut) => {
    const failed = {
      turnId: "t",
      sessionId: "s",
      seq: 2,
      type: "turn_error",
      errorCode,
      errorMessage: "no",
    } as const;
    const failure = turnFailure(turnOf(begun, { ...failed, ...(errorClass && { errorClass }) }));
    expect(failure).toMatchObject({ title, isCut, message: "no" });
    expect(failure?.advice).not.toBe("");
  },
);

test("what nobody told of a turn is called unknown, and its model left out", () => {
  const ended = { ...completed("t", 2), at: "2026-01-01T00:00:02.000Z" };
  expect(turnFacts(turnOf({ ...begun, modelId: "" } as TurnEvent, ended))).toEqual([
    "2.0 s",
    "usage unknown",
  ]);
  expect(exactUsage(turnOf(begun, ended))).toBe("");
});
