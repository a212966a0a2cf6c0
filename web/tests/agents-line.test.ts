import { expect, test } from "vitest";
import { agentsLine } from "../src/agent/agents-line";
import type { AgentConnection, AgentInfo } from "../src/contract";

const agent = (cliType: string, available = true, send = true): AgentInfo => ({
  cliType,
  name: cliType.toUpperCase(),
  available,
  models: [],
  modes: [],
  capabilities: { send, steer: false, images: false, resume: true },
});
const line = (agents: AgentInfo[], ...connections: [string, AgentConnection][]) =>
  agentsLine(agents, new Map(connections));

test("agents that can be run are counted, and those that cannot", () => {
  expect(line([agent("a"), agent("external", true, false)])).toEqual({
    text: "1 agent ready",
    kind: "ready",
    away: [],
  });
  expect(line([agent("a"), agent("b"), agent("c", false)])).toMatchObject({
    text: "2 agents ready, 1 not",
    kind: "partly",
  });
  expect(line([agent("c", false)])).toMatchObject({ text: "No agent is ready", kind: "none" });
  expect(line([])).toBeUndefined();
});

test("one whose agent died is away until it is back", () => {
  expect(line([agent("a"), agent("b")], ["b", "disconnected"])).toEqual({
    text: "1 agent ready, 1 not",
    kind: "partly",
    away: [{ cliType: "b", name: "B" }],
  });
  expect(line([agent("b")], ["b", "connected"])).toMatchObject({ kind: "ready", away: [] });
});
