import { expect, test } from "vitest";
import { type AgentFacts, agentNote } from "../src/agent/agent-words";
import { StopTwice } from "../src/agent/stop-twice";
import type { SessionListItem, SessionStatus, TurnEvent } from "../src/contract";
import { mainScript } from "../src/server/new-version";

function facts(session: Partial<SessionListItem>, rest: Partial<AgentFacts> = {}): AgentFacts {
  return {
    session: { status: "open", activity: "idle", ...session } as SessionListItem,
    status: undefined,
    connection: undefined,
    lastEnd: undefined,
    isResuming: false,
    ...rest,
  };
}

const crash = { type: "turn_error", errorCode: "PROCESS_CRASH", errorMessage: "exited with 1" } as TurnEvent;

test("an agent that is there, or is not needed now, needs no words", () => {
  expect(agentNote(facts({}))).toBeUndefined();
  const status = { isAlive: true } as SessionStatus;
  expect(agentNote(facts({ activity: "running" }, { status, connection: "starting" }))).toBeUndefined();
});

test("an agent on its way is launching", () => {
  expect(agentNote(facts({ status: "loading" }))?.title).toBe("Launching agent…");
  expect(agentNote(facts({ status: "dead" }, { isResuming: true }))?.title).toBe("Launching agent…");
  expect(agentNote(facts({ activity: "running" }, { connection: "reconnecting" }))?.title).toBe(
    "Reconnecting to agent…",
  );
});

test("a dead session says why, in the agent's words where it died, and can be resumed", () => {
  expect(agentNote(facts({ status: "dead" }, { lastEnd: crash }))).toMatchObject({
    title: "The agent stopped by itself",
    reason: "exited with 1",
    canResume: true,
  });
  expect(agentNote(facts({ status: "dead" }))?.title).toBe("The agent was ended");
  expect(agentNote(facts({ status: "dead" }, { connection: "disconnected" }))?.title).toBe(
    "Agent disconnected",
  );
});

test("the second of two presses stops, unless it comes late or the turn was over", () => {
  const twice = new StopTwice();
  expect(twice.pressed(0, "a")).toBe(false);
  expect(twice.isArmed(1_999)).toBe(true);
  expect(twice.pressed(1_999, "a")).toBe(true);
  expect(twice.pressed(2_000, "a")).toBe(false);
  expect(twice.pressed(4_000, "a")).toBe(false);
  twice.forget();
  expect(twice.pressed(4_001, "a")).toBe(false);
});

test("two presses that mean different turns stop neither", () => {
  const twice = new StopTwice();
  expect(twice.pressed(0, "a")).toBe(false);
  expect(twice.pressed(1, "b")).toBe(false);
  expect(twice.isFor("b")).toBe(true);
  expect(twice.pressed(2, "a")).toBe(false);
  expect(twice.pressed(3, "a")).toBe(true);
});

test.each([
  ['<script type="module" crossorigin src="/assets/index-a1.js"></script>', "/assets/index-a1.js"],
  ['<script src="/early.js"></script><script src="/main.js" type="module">', "/main.js"],
  ["<p>nothing</p>", undefined],
])("the main script of a page is found: %s", (html, expected) => {
  expect(mainScript(html)).toBe(expected);
});
