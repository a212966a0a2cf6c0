import { expect, test } from "vitest";
import type { AgentInfo } from "../src/contract";
import { agentCards, chosenAgent, installCommand } from "../src/start/agent-choice";
import { suggestionsFor } from "../src/start/suggestions";

const capabilities = { send: true, steer: false, images: false, resume: true };

function agent(cliType: string, part: Partial<AgentInfo> = {}): AgentInfo {
  return { cliType, name: cliType, available: true, models: [], modes: [], capabilities, ...part };
}

const missing = { available: false, problem: "the program was not found", installHint: "install it" };

test("agents that can be run come first, each with its version", () => {
  const cards = agentCards([agent("a", missing), agent("b", { version: "1.2" }), agent("c")]);
  expect(cards.map(({ name, version }) => [name, version])).toEqual([
    ["b", "1.2"],
    ["c", undefined],
    ["a", undefined],
  ]);
  expect(cards.map(({ available }) => available)).toEqual([true, true, false]);
});

test("the choice stays as long as it can be had", () => {
  const cards = agentCards([agent("a"), agent("b"), agent("c", missing)]);
  expect(chosenAgent(cards, undefined)).toBe("a");
  expect(chosenAgent(cards, "b")).toBe("b");
  expect(chosenAgent(cards, "c")).toBe("a");
  expect(chosenAgent(agentCards([agent("c", missing)]), "c")).toBeUndefined();
});

test("what is missing is told with what to do about it", () => {
  const cards = agentCards([agent("a"), agent("b", missing), agent("c", { available: false })]);
  expect(cards.map(({ state, hint }) => [state, hint])).toEqual([
    ["Ready", undefined],
    ["Not ready: the program was not found", "Install it"],
    ["Not ready: it cannot be run", undefined],
  ]);
});

test("what is to be done besides the command is said once", () => {
  const hint = "npm install -g y, then run `y` once";
  const [card] = agentCards([agent("y", { ...missing, installHint: hint })]);
  expect(card).toMatchObject({ command: "npm install -g y", hint: "Then run `y` once" });
});

test.each([
  ["npm install -g @x/y, then run `y` once", "npm install -g @x/y"],
  ["log in with `codex login` first", "codex login"],
  ["set a key", undefined],
  [undefined, undefined],
])("the command of a hint can be copied: %s", (hint, command) => {
  expect(installCommand(hint)).toBe(command);
});

test("only an agent that is there to be tried has suggestions", () => {
  expect(suggestionsFor("demo")).toContain("list files");
  expect(suggestionsFor("claude-code")).toEqual([]);
  expect(suggestionsFor("constructor")).toEqual([]);
  expect(suggestionsFor(undefined)).toEqual([]);
});
