import { describe, expect, test } from "vitest";
import { questionsToAsk, whatToSay } from "../src/announce/what-to-say";
import type { PermissionRequest, UpsertObject } from "../src/contract";
import { applyHistory, applyTurn, applyUpsert, emptyTimeline, type Update } from "../src/timeline/timeline";
import { history, message, started, thinking } from "./samples";

const NOW = { isLive: true, saysTools: false };
const PAST = { isLive: false, saysTools: false };
const complete = (item: UpsertObject): UpsertObject => ({ ...item, status: "complete" });
const begun = applyUpsert(emptyTimeline, 1, message("m", 1, 1, "Hel")).timeline;
const finished = (content: string): Update => applyUpsert(begun, 2, complete(message("m", 2, 1, content)));

describe("a message of the agent", () => {
  test("is said once, when it is finished", () => {
    expect(whatToSay(emptyTimeline, applyUpsert(emptyTimeline, 1, message("m", 1, 1, "Hel")), NOW)).toEqual(
      [],
    );
    const update = finished("Hello there");
    expect(whatToSay(begun, update, NOW)).toEqual(["Agent finished: Hello there"]);
    const again = applyUpsert(update.timeline, 3, complete(message("m", 3, 1, "Hello there")));
    expect(whatToSay(update.timeline, again, NOW)).toEqual([]);
  });

  test("is said by its first hundred characters, without marks", () => {
    expect(whatToSay(begun, finished("## **Done**\n\n`a`  and b"), NOW)).toEqual([
      "Agent finished: Done a and b",
    ]);
    const [said] = whatToSay(begun, finished("x".repeat(500)), NOW);
    expect(said).toBe(`Agent finished: ${"x".repeat(100)}…`);
  });

  test("that comes all at once is said, too", () => {
    const update = applyUpsert(emptyTimeline, 1, complete(message("m", 1, 1, "Hi")));
    expect(whatToSay(emptyTimeline, update, NOW)).toEqual(["Agent finished: Hi"]);
  });

  test("of the past is not said", () => {
    const past = applyHistory(
      emptyTimeline,
      history({ entries: [complete(message("m", 1, 1, "Hi"))], seq: 1 }),
    );
    expect(whatToSay(emptyTimeline, past, PAST)).toEqual([]);
  });

  test("that ended while the connection was lost is said", () => {
    const open = applyHistory(
      emptyTimeline,
      history({ entries: [message("m", 1, 1, "H")], seq: 1 }),
    ).timeline;
    const since = history({ mode: "since", entries: [complete(message("m", 2, 1, "Hi"))], seq: 2 });
    expect(whatToSay(open, applyHistory(open, since), PAST)).toEqual(["Agent finished: Hi"]);
  });
});

test("what the reader said and what the agent thought is not said", () => {
  const mine = complete({ ...message("m", 1, 1, "mine"), origin: "user" } as UpsertObject);
  expect(whatToSay(emptyTimeline, applyUpsert(emptyTimeline, 1, mine), NOW)).toEqual([]);
  const thought = complete(thinking("t", 1, 1, "hm"));
  expect(whatToSay(emptyTimeline, applyUpsert(emptyTimeline, 1, thought), NOW)).toEqual([]);
});

test("a turn that fails is said with its reason", () => {
  const begun = applyTurn(emptyTimeline, 1, started("t", 1)).timeline;
  const failure = {
    type: "turn_error",
    turnId: "t",
    sessionId: "s",
    errorCode: "X",
    errorMessage: "No more",
  } as const;
  const update = applyTurn(begun, 2, { ...failure, seq: 2 });
  expect(whatToSay(begun, update, NOW)).toEqual(["Failed: No more"]);
});

test("a question is asked once, with its answers", () => {
  const request: PermissionRequest = {
    permissionId: "q",
    sessionId: "s",
    title: "Run make",
    options: [
      { optionId: "1", name: "Allow", kind: "allow_once" },
      { optionId: "2", name: "Reject", kind: "reject_once" },
    ],
    askedAt: "2026-01-01T00:00:00.000Z",
  };
  expect(questionsToAsk([request], new Set())).toEqual([
    "The agent asks: Run make. Press F6 to go to the answers: Allow, Reject.",
  ]);
  expect(questionsToAsk([request], new Set(["q"]))).toEqual([]);
});

describe("a tool call that has ended", () => {
  const call = {
    type: "tool_call",
    toolName: "Bash",
    toolArguments: { command: "make" },
    callId: "c",
  } as const;
  const running = { ...message("c", 1, 1), ...call } as UpsertObject;
  const done = { ...running, seq: 2, status: "complete", toolOutput: "ok" } as UpsertObject;
  const begun = applyUpsert(emptyTimeline, 1, running).timeline;
  const ended = applyUpsert(begun, 2, done);

  test("is said once, in a line, to those who asked for it", () => {
    const aloud = { isLive: true, saysTools: true };
    expect(whatToSay(emptyTimeline, applyUpsert(emptyTimeline, 1, running), aloud)).toEqual([]);
    expect(whatToSay(begun, ended, aloud)).toEqual(["Tool done: Ran make"]);
    const again = applyUpsert(ended.timeline, 3, { ...done, seq: 3 });
    expect(whatToSay(ended.timeline, again, aloud)).toEqual([]);
  });

  test("is not said to others", () => {
    expect(whatToSay(begun, ended, NOW)).toEqual([]);
  });
});
