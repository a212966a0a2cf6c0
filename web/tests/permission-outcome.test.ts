import { expect, test } from "vitest";
import type { PermissionRequest } from "../src/contract";
import { outcomeLines } from "../src/permissions/permission-outcome";

const resolved: PermissionRequest = {
  permissionId: "p",
  sessionId: "s",
  title: "Run",
  options: [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
  askedAt: "",
  outcome: "selected",
  optionId: "yes",
};

test("an answer that was given here is told with what was chosen", () => {
  expect(outcomeLines(resolved, { optionId: "yes" })).toEqual(["You answered: Allow"]);
  const answers = { "Which colour?": ["Red", "Blue"], "How many?": ["three"] };
  expect(outcomeLines(resolved, { optionId: "yes", answers })).toEqual([
    "You answered: Allow",
    "Which colour? Red, Blue",
    "How many? three",
  ]);
});

test("an answer that was given elsewhere says so, also if it came before the one given here", () => {
  expect(outcomeLines(resolved, undefined)).toEqual(["Answered elsewhere: Allow"]);
  expect(outcomeLines(resolved, { optionId: "no" })).toEqual(["Answered elsewhere: Allow"]);
});

test("a request that nobody answered says why it is gone", () => {
  expect(outcomeLines({ ...resolved, outcome: "withdrawn" }, undefined)).toEqual([
    "The agent does not ask any more.",
  ]);
  expect(outcomeLines({ ...resolved, outcome: "turn_ended" }, undefined)).toEqual([
    "Its turn ended before it was answered.",
  ]);
  expect(outcomeLines({ ...resolved, outcome: "cancelled" }, { cancel: true })).toEqual([
    "You answered: stop",
  ]);
});
