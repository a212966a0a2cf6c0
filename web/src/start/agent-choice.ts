/** Which agents can be chosen for a new session, and which is chosen at first. */
import type { AgentInfo, CliType } from "../contract";

export type AgentChoice = { cliType: CliType; label: string; available: boolean };
export type MissingAgent = { name: string; problem: string; hint: string | undefined };

/** Those that can be run come first; the server's order decides otherwise. */
export function agentChoices(agents: AgentInfo[]): AgentChoice[] {
  const sorted = [...agents].sort((a, b) => Number(b.available) - Number(a.available));
  return sorted.map((agent) => ({
    cliType: agent.cliType,
    label: agent.available ? joined(agent.name, agent.version) : `${agent.name} (not available)`,
    available: agent.available,
  }));
}

/** The one that was chosen before, as long as it can be had. */
export function chosenAgent(choices: AgentChoice[], before: CliType | undefined): CliType | undefined {
  const available = choices.filter((choice) => choice.available);
  return (available.find((choice) => choice.cliType === before) ?? available[0])?.cliType;
}

export function missingAgents(agents: AgentInfo[]): MissingAgent[] {
  const missing = agents.filter((agent) => !agent.available);
  return missing.map(({ name, problem, installHint }) => ({
    name,
    problem: problem ?? "it cannot be run",
    hint: installHint,
  }));
}

function joined(name: string, version: string | undefined): string {
  return version === undefined ? name : `${name} ${version}`;
}
