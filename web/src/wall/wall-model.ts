/** Which sessions are on the wall, in which order, and what a tile says. Pure. */
import type { SessionGlance, SessionId, SessionListItem, SessionStatus, Usage } from "../contract";

/** Those with an agent that runs, or with something to do. A status is told when it changes: of a new session none is. */
export function isLive(session: SessionListItem, status: SessionStatus | undefined, isNew = false): boolean {
  if (session.archived || session.status === "dead") return false;
  const isBusy = session.activity === "running" || session.activity === "permission";
  return isBusy || (status?.isAlive ?? isNew);
}

/** It lost its agent while the wall was looked at: it stays, so that this is seen and can be mended there. */
export function hasEnded(session: SessionListItem, seen: ReadonlySet<SessionId>): boolean {
  return session.status === "dead" && !session.archived && seen.has(session.sessionId);
}

/** By creation; those that wait for someone first. Asked once, when the wall is entered: after that nothing moves. */
export function enteringOrder(sessions: readonly SessionListItem[]): SessionId[] {
  const rank = (session: SessionListItem) => (session.activity === "permission" ? 0 : 1);
  return [...sessions]
    .sort((a, b) => rank(a) - rank(b) || byCreation(a, b))
    .map(({ sessionId }) => sessionId);
}

/** The order so far; new ones come last. One that is gone may come back, and does to its place. */
export function keptOrder(order: readonly SessionId[], sessions: readonly SessionListItem[]): SessionId[] {
  const known = new Set(order);
  const fresh = sessions.filter(({ sessionId }) => !known.has(sessionId)).sort(byCreation);
  return [...order, ...fresh.map(({ sessionId }) => sessionId)];
}

function byCreation(a: SessionListItem, b: SessionListItem): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.sessionId < b.sessionId ? -1 : 1);
}

/** What it does now: the tool that runs, else what it said last. */
export function tileLine(
  glance: SessionGlance | undefined,
  session: SessionListItem,
): { kind: "tool" | "line"; text: string } {
  if (glance?.tool !== undefined && session.activity !== "idle") return { kind: "tool", text: glance.tool };
  return { kind: "line", text: withoutMarks(glance?.line ?? "") };
}

/** How long the turn runs: "0:07", "12:40", "1:02:09". */
export function elapsed(glance: SessionGlance | undefined, now: number): string {
  if (glance?.turnStartedAt === undefined) return "";
  const seconds = Math.max(0, Math.floor((now - Date.parse(glance.turnStartedAt)) / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number) => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** What the last turn cost, as far as the agent tells. */
export function usageWords(usage: Usage | undefined): string {
  if (!usage) return "";
  const told = usage.inputTokens + usage.outputTokens;
  const tokens = told > 0 ? told : (usage.contextTokens ?? 0);
  const parts = [
    usage.costUsd ? `$${usage.costUsd.toFixed(2)}` : "",
    tokens > 0 ? `${short(tokens)} tokens` : "",
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

/** A line of Markdown as it is read: without the signs that make it bold, code or a heading. */
function withoutMarks(line: string): string {
  return line.replace(/^\s*(?:#{1,6}|>|[-*+])\s+/, "").replace(/\*\*|__|`/g, "");
}
