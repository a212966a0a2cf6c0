import { expect, test } from "vitest";
import { oldestFirst } from "../src/directory/permission-index";
import { originWords, twins, twinsLabel } from "../src/inbox/inbox-model";
import * as desks from "../src/permissions/desk";
import { GRACE_MS, Grace } from "../src/permissions/grace";
import { isAnswerKey, keysOf, optionFor } from "../src/permissions/option-choice";
import { permission, session } from "./samples";

test("keys choose the option of their kind, in the agent's order, and nothing more", () => {
  const options = [
    { optionId: "n", name: "No", kind: "reject_always" },
    { optionId: "y1", name: "Yes", kind: "allow_once" },
    { optionId: "y2", name: "Yes too", kind: "allow_once" },
  ] as const;
  expect(optionFor(options, "y")?.optionId).toBe("y1");
  expect(optionFor(options, "n")?.optionId).toBe("n");
  expect(optionFor(options, "a")).toBeUndefined();
  expect(["y", "a", "n", "x", "toString"].map(isAnswerKey)).toEqual([true, true, true, false, false]);
});

test("every option has a key: its digit, besides the letter of its kind where it is the first of it", () => {
  const options = [
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "a", name: "Always", kind: "allow_always" },
    { optionId: "n", name: "No", kind: "reject_once" },
    { optionId: "never", name: "Never", kind: "reject_always" },
  ] as const;
  expect(options.map((option) => keysOf(options, option))).toEqual([
    ["y", "1"],
    ["a", "2"],
    ["n", "3"],
    ["4"],
  ]);
  expect([optionFor(options, "4")?.optionId, optionFor(options, "5")]).toEqual(["never", undefined]);
  expect(["1", "9", "0", "10", ""].map(isAnswerKey)).toEqual([true, true, false, false, false]);
});

test("what has just come up takes no answer, nor what has just moved", () => {
  const grace = new Grace(1000);
  expect([grace.isOver(1000), grace.isOver(1000 + GRACE_MS - 1), grace.isOver(1000 + GRACE_MS)]).toEqual([
    false,
    false,
    true,
  ]);
  grace.moved(5000);
  expect([grace.isOver(5100), grace.isOver(5500)]).toEqual([false, true]);
});

test("an answer is on its way until it is refused, confirmed or its connection is lost", () => {
  const sent = desks.answeredHere(desks.emptyDesk, "p", { optionId: "yes" });
  expect(sent.sent.has("p")).toBe(true);
  const refused = desks.refused(sent, "p", "too late");
  expect([refused.sent.has("p"), refused.problems.get("p")]).toEqual([false, "too late"]);
  const again = desks.answeredHere(refused, "p", { optionId: "no" });
  expect([again.sent.has("p"), again.problems.has("p")]).toEqual([true, false]);
  expect(desks.reconnected(again).sent.size).toBe(0);
});

test("an answer that was refused was not given here, one that was taken was", () => {
  const sent = desks.answeredHere(desks.emptyDesk, "p", { optionId: "yes" });
  expect(sent.answers.get("p")).toEqual({ answer: { optionId: "yes" }, isTaken: false });
  const taken = desks.taken(sent, "p");
  expect([taken.answers.get("p")?.isTaken, taken.sent.has("p")]).toEqual([true, true]);
  const refused = desks.refused(sent, "p", "too late");
  expect(refused.answers.has("p")).toBe(false);
  expect(desks.taken(refused, "p")).toBe(refused);
});

test("decisions are told last first, once each, and no more than are remembered", () => {
  const at = (n: number) => new Date(n * 1000).toISOString();
  const over = (id: string, n: number, sessionId = "s") =>
    permission(id, { sessionId, outcome: "selected", optionId: "yes", resolvedAt: at(n) });
  let desk = desks.decided(desks.emptyDesk, over("a", 1), over("b", 3), permission("waits"));
  desk = desks.decided(desk, over("c", 2, "other"), over("a", 1));
  expect(desks.decisions(desk).map(({ permissionId }) => permissionId)).toEqual(["b", "c", "a"]);
  expect(desks.decisionsOf(desk, "other").map(({ permissionId }) => permissionId)).toEqual(["c"]);
  const many = Array.from({ length: desks.REMEMBERED + 50 }, (_, n) => over(`m${n}`, 10 + n));
  expect(desks.decided(desk, ...many).decided.size).toBe(desks.REMEMBERED);
});

test("what waits is told oldest first, without what is over", () => {
  const requests = [
    permission("new", { askedAt: "2026-01-01T00:00:02.000Z" }),
    permission("old", { askedAt: "2026-01-01T00:00:01.000Z" }),
    permission("over", { resolvedAt: "2026-01-01T00:00:01.000Z" }),
  ];
  expect(oldestFirst(requests).map(({ permissionId }) => permissionId)).toEqual(["old", "new"]);
});

test("only the very same requests are answered together, and never what must be read or filled in", () => {
  const toolArguments = { command: "make" };
  const same = ["a", "b"].map((id) => permission(id, { sessionId: id, toolArguments }));
  const other = permission("c", { toolArguments: { command: "make install" } });
  const plans = ["d", "e"].map((id) => permission(id, { plan: "Do it" }));
  const closed = ["f", "g"].map((id) => permission(id, { options: [], title: "closed" }));
  const groups = twins([...same, other, ...plans, ...closed], ({ sessionId }) => sessionId);
  expect(groups.map(({ requests }) => requests.map(({ permissionId }) => permissionId))).toEqual([
    ["a", "b"],
  ]);
  expect(groups.map(twinsLabel)).toEqual(["Allow these 2 identical requests once in 2 projects"]);
  expect(originWords(session("s", { cliType: "codex" }), "web")).toBe("web · codex");
});
