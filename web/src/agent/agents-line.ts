/** How it stands with the agents of this machine, in one line. Pure. */
import type { AgentConnection, AgentInfo, CliType } from "../contract";
import { counted } from "../text/amount-text";

export type AgentsLine = {
  text: string;
  kind: "ready" | "partly" | "none";
  /** Those whose last agent died or did not come up. */
  away: { cliType: CliType; name: string }[];
};

/** Nothing as long as nothing is known of them. */
export function agentsLine(
  agents: readonly AgentInfo[],
  connections: ReadonlyMap<CliType, AgentConnection>,
): AgentsLine | undefined {
  const run = agents.filter(({ capabilities }) => capabilities.send);
  if (run.length === 0) return undefined;
  const away = run.filter(({ cliType }) => connections.get(cliType) === "disconnected");
  const ready = run.filter((agent) => agent.available && !away.includes(agent));
  const others = run.length - ready.length;
  const text = ready.length === 0 ? "No agent is ready" : `${counted(ready.length, "agent")} ready`;
  return {
    text: others === 0 || ready.length === 0 ? text : `${text}, ${others} not`,
    kind: ready.length === 0 ? "none" : others === 0 ? "ready" : "partly",
    away: away.map(({ cliType, name }) => ({ cliType, name })),
  };
}
