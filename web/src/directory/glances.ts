/**
 * What sessions do at a glance, told about once a second for each that is at work.
 *
 * Apart from the directory: it changes all the time, and whoever does not look must not pay for it.
 */
import type { SessionGlance, SessionId } from "../contract";
import { ActivityTrace } from "./activity-trace";

export class Glances {
  private readonly known = new Map<SessionId, SessionGlance>();
  private readonly traces = new Map<SessionId, ActivityTrace>();

  /** False when it is older than what is known: a snapshot may be overtaken. */
  note(glance: SessionGlance, now: number): boolean {
    const before = this.known.get(glance.sessionId);
    if (before && Date.parse(before.at) > Date.parse(glance.at)) return false;
    this.known.set(glance.sessionId, glance);
    // A new connection is told again what was known before: nothing has happened.
    if (before?.at !== glance.at) this.traceOf(glance.sessionId).note(now);
    return true;
  }

  of(sessionId: SessionId): SessionGlance | undefined {
    return this.known.get(sessionId);
  }

  traceOf(sessionId: SessionId): ActivityTrace {
    const known = this.traces.get(sessionId);
    if (known) return known;
    const made = new ActivityTrace();
    this.traces.set(sessionId, made);
    return made;
  }
}
