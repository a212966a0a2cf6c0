/** Which agents can be chosen for a new session, which is chosen at first, and what the others need. Pure. */
import type { AgentInfo, CliType } from "../contract";

export type AgentCardModel = {
  cliType: CliType;
  name: string;
  version: string | undefined;
  available: boolean;
  /** One line: ready, or why not. */
  state: string;
  /** What to do about it, in words, and the command to run if there is one. */
  hint: string | undefined;
  command: string | undefined;
};

/** Those that can be run come first; the server's order decides otherwise. */
export function agentCards(agents: AgentInfo[]): AgentCardModel[] {
  const sorted = [...agents].sort((a, b) => Number(b.available) - Number(a.available));
  return sorted.map((agent) => ({
    cliType: agent.cliType,
    name: agent.name,
    version: agent.version,
    available: agent.available,
    ...(agent.available ? ready(agent) : notReady(agent)),
  }));
}

type Readiness = Pick<AgentCardModel, "state" | "hint" | "command">;

function ready({ cliType }: AgentInfo): Readiness {
  const state = cliType === "demo" ? "Ready. Needs no account and no network" : "Ready";
  return { state, hint: undefined, command: undefined };
}

function notReady({ problem, installHint }: AgentInfo): Readiness {
  const command = installCommand(installHint);
  const state = `Not ready: ${problem ?? "it cannot be run"}`;
  return { state, hint: installHint && withoutCommand(installHint, command ?? ""), command };
}

/** What is left to be said beside the command. */
function withoutCommand(hint: string, command: string): string | undefined {
  const rest = hint.startsWith(command) ? hint.slice(command.length).replace(/^[,\s]+/, "") : hint;
  return rest === "" ? undefined : rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The one that was chosen before, as long as it can be had. */
export function chosenAgent(cards: AgentCardModel[], before: CliType | undefined): CliType | undefined {
  const available = cards.filter((card) => card.available);
  return (available.find((card) => card.cliType === before) ?? available[0])?.cliType;
}

/** Hints name commands in backquotes, or begin with one that goes up to the comma. */
export function installCommand(hint: string | undefined): string | undefined {
  if (hint === undefined) return undefined;
  const begins = /^(?:npm|npx|pip|pipx|uv|cargo|brew|apt|curl|go)\s[^,`]+/.exec(hint);
  return (begins?.[0] ?? /`([^`]+)`/.exec(hint)?.[1])?.trim();
}
