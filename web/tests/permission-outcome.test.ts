import { expect, test } from "vitest";
import type { PermissionAnswer } from "../src/contract";
import {
  decisionWord,
  detailLines,
  kindOf,
  outcomeLines,
  whereWords,
} from "../src/permissions/permission-outcome";
import { permission } from "./samples";

const resolved = permission("p", { outcome: "selected", optionId: "yes" });
const given = (answer: PermissionAnswer, isTaken = true) => ({ answer, isTaken });
const always = permission("p", {
  options: [{ optionId: "all", name: "Yes, for all of make", kind: "allow_always" }],
  outcome: "selected",
  optionId: "all",
});

test("an answer that was given here is told with what was chosen", () => {
  expect(outcomeLines(resolved, given({ optionId: "yes" }))).toEqual(["You allowed once."]);
  const answers = { "Which colour?": ["Red", "Blue"], "How many?": ["three"] };
  const asked = { ...resolved, questions: [{ question: "Which colour?", options: [], multiSelect: true }] };
  expect(outcomeLines(asked, given({ optionId: "yes", answers }))).toEqual([
    "You answered.",
    "Which colour? Red, Blue",
    "How many? three",
  ]);
  expect(
    outcomeLines({ ...resolved, optionId: "no" }, given({ optionId: "no", feedback: "use pnpm" })),
  ).toEqual(["You rejected.", "“use pnpm”"]);
});

test("an answer that was given elsewhere says where, also if it came before the one given here", () => {
  const by = (who: string) => ({ ...resolved, answer: { by: who } });
  expect(outcomeLines(resolved, undefined)).toEqual(["Allowed once elsewhere."]);
  expect(outcomeLines(by("browser"), undefined)).toEqual(["Allowed once in another window."]);
  expect(outcomeLines(by("browser"), given({ optionId: "no" }))).toEqual(["Allowed once in another window."]);
  expect(outcomeLines(by("command line"), undefined)).toEqual(["Allowed once in the terminal."]);
  expect(outcomeLines(by("token ci"), undefined)).toEqual(["Allowed once by token ci."]);
  expect(outcomeLines({ ...resolved, outcome: "cancelled" }, given({ optionId: "yes" }))).toEqual([
    "Denied and stopped elsewhere.",
  ]);
});

test("of the same answer from two windows, only the one that was taken is told as given here", () => {
  const mine = given({ optionId: "yes" }, false);
  const by = (who: string) => ({ ...resolved, answer: { by: who } });
  expect(outcomeLines(by("browser"), mine)).toEqual(["Allowed once."]);
  expect(outcomeLines(by("browser"), { ...mine, isTaken: true })).toEqual(["You allowed once."]);
  expect(outcomeLines(by("command line"), mine)).toEqual(["Allowed once in the terminal."]);
});

test("a request that nobody answered says why it is gone", () => {
  expect(outcomeLines({ ...resolved, outcome: "withdrawn" }, undefined)).toEqual([
    "The agent does not ask any more.",
  ]);
  expect(outcomeLines({ ...resolved, outcome: "turn_ended" }, undefined)).toEqual([
    "Its turn ended before it was answered.",
  ]);
  expect(outcomeLines({ ...resolved, outcome: "cancelled" }, given({ cancel: true }))).toEqual([
    "You denied and stopped.",
  ]);
  expect(outcomeLines(permission("p"), undefined)).toEqual(["It does not wait any more."]);
});

test("what holds from now on is told in the agent's own words", () => {
  expect(outcomeLines(always, given({ optionId: "all" }))).toEqual([
    "You allowed always (Yes, for all of make).",
  ]);
  expect([decisionWord(always), ...detailLines(always)]).toEqual(["Allowed always", "Yes, for all of make"]);
});

test("a list tells decisions by a word, a kind and where they were made", () => {
  expect([decisionWord(resolved), kindOf(resolved), whereWords(resolved)]).toEqual([
    "Allowed once",
    "allowed",
    "",
  ]);
  const refused = { ...resolved, optionId: "no", answer: { by: "command line", feedback: "no" } };
  expect([decisionWord(refused), kindOf(refused), whereWords(refused)]).toEqual([
    "Rejected",
    "refused",
    "in the terminal",
  ]);
  expect(detailLines(refused)).toEqual(["“no”"]);
  expect(kindOf({ ...resolved, outcome: "turn_ended" })).toBe("over");
});

test("what was allowed instead of what was proposed is told", () => {
  const changed = { ...resolved, answer: { by: "token ci", updatedInput: { command: "make test" } } };
  expect([decisionWord(changed), ...detailLines(changed)]).toEqual([
    "Allowed once",
    'With other arguments: {"command":"make test"}',
  ]);
});
