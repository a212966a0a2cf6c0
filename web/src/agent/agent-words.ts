/** How it stands with the agent of a session, in words. Pure. */
import type { AgentConnection, SessionListItem, SessionStatus, TurnEvent } from "../contract";

export type AgentFacts = {
  session: SessionListItem;
  status: SessionStatus | undefined;
  /** How it stands with agents of this kind. */
  connection: AgentConnection | undefined;
  /** How the last turn ended. */
  lastEnd: TurnEvent | undefined;
  isResuming: boolean;
};

export type AgentNote = {
  kind: "dead" | "launching" | "away";
  title: string;
  /** The agent's own words, where there are some. */
  reason: string;
  /** What still works. */
  hint: string;
  canResume: boolean;
};

const GO_ON = "Everything said so far stays. Resume it, or send a message: it goes on from here.";

/** Nothing, where the agent is there or is not needed at the moment. */
export function agentNote(facts: AgentFacts): AgentNote | undefined {
  const { session, status, connection, isResuming } = facts;
  if (isResuming || session.status === "loading") return launching("Launching agent…");
  if (session.status === "dead") return dead(facts);
  if (status?.isAlive || session.activity === "idle") return undefined;
  if (connection === "starting") return launching("Launching agent…");
  if (connection === "reconnecting") return launching("Reconnecting to agent…");
  return undefined;
}

function launching(title: string): AgentNote {
  return { kind: "launching", title, reason: "", hint: "What you send now waits for it.", canResume: false };
}

function dead({ lastEnd, connection }: AgentFacts): AgentNote {
  const crash = lastEnd?.type === "turn_error" && lastEnd.errorCode === "PROCESS_CRASH" ? lastEnd : undefined;
  if (crash)
    return {
      kind: "dead",
      title: "The agent stopped by itself",
      reason: crash.errorMessage,
      hint: GO_ON,
      canResume: true,
    };
  const title = connection === "disconnected" ? "Agent disconnected" : "The agent was ended";
  return { kind: "dead", title, reason: "", hint: GO_ON, canResume: true };
}
