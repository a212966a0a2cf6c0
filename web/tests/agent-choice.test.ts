import { expect, test } from "vitest";
import type { AgentInfo } from "../src/contract";
import { agentChoices, chosenAgent, missingAgents } from "../src/start/agent-choice";
import { suggestionsFor } from "../src/start/suggestions";

const capabilities = { send: true, steer: false, images: false, resume: true };

function agent(cliType: string, part: Partial<AgentInfo> = {}): AgentInfo {
  return { cliType, name: cliType, available: true, models: [], modes: [], capabilities, ...part };
}

const missing = { available: false, problem: "the program was not found", installHint: "install it" };

test("agents that can be run come first, each with its version", () => {
  const choices = agentChoices([agent("a", missing), agent("b", { version: "1.2" }), agent("c")]);
  expect(choices.map((choice) => choice.label)).toEqual(["b 1.2", "c", "a (not available)"]);
  expect(choices.map((choice) => choice.available)).toEqual([true, true, false]);
});

test("the choice stays as long as it can be had", () => {
  const choices = agentChoices([agent("a"), agent("b"), agent("c", missing)]);
  expect(chosenAgent(choices, undefined)).toBe("a");
  expect(chosenAgent(choices, "b")).toBe("b");
  expect(chosenAgent(choices, "c")).toBe("a");
  expect(chosenAgent(agentChoices([agent("c", missing)]), "c")).toBeUndefined();
});

test("what is missing is told with what to do about it", () => {
  const told = missingAgents([agent("a"), agent("b", missing), agent("c", { available: false })]);
  expect(told).toEqual([
    { name: "b", problem: "the program was not found", hint: "install it" },
    { name: "c", problem: "it cannot be run", hint: undefined },
  ]);
});

test("only an agent that is there to be tried has suggestions", () => {
  expect(suggestionsFor("demo")).toContain("list files");
  expect(suggestionsFor("claude-code")).toEqual([]);
  expect(suggestionsFor("constructor")).toEqual([]);
  expect(suggestionsFor(undefined)).toEqual([]);
});
