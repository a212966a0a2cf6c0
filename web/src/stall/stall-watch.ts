/**
 * Tells which sessions are at work and give no sign of life.
 *
 * Every message about a session is a sign. One that is not open tells by its glances when its agent was last heard. The
 * clock is given.
 */
import type { ServerFrame, SessionId, SessionListItem } from "../contract";
import type { Directory } from "../directory/directory";
import { waitingIn } from "../directory/permission-index";

/** A session at work that has told nothing for so long is silent. */
export const SILENT_MS = 60_000;
/** Between two looks at the clock. One that comes later than this was held up: then nothing is known of that time. */
export const LOOK_MS = 5_000;
const HELD_UP_MS = 4 * LOOK_MS;

/** `silentMs` is absent as long as there are signs of life, and told in steps that do not dance. */
export type Watched = SessionListItem & { silentMs?: number };

/** `heard` is when the agent was last heard, in the words of the server. */
type Sign = { at: number; heard?: string };

export class StallWatch {
  private readonly signs = new Map<SessionId, Sign>();
  /** Since when everything that is told has been heard. */
  private heardSince = 0;
  private lastLook = 0;
  private isLive = false;

  told(frame: ServerFrame, now: number): void {
    if (!("sessionId" in frame) || frame.type === "session:history") return;
    const known = this.signs.get(frame.sessionId);
    if (frame.type !== "session:glance") this.signs.set(frame.sessionId, { ...known, at: now });
    // A new connection is told again what was known before.
    else if (frame.at !== known?.heard) this.signs.set(frame.sessionId, { at: now, heard: frame.at });
  }

  connected(isLive: boolean, now: number): void {
    this.isLive = isLive;
    this.heardSince = now;
    this.lastLook = now;
  }

  /** To be called every `LOOK_MS`. */
  look(now: number): void {
    if (now - this.lastLook > HELD_UP_MS) this.heardSince = now;
    this.lastLook = now;
  }

  /** How long a session has given no sign of life; nothing when it has, or need not. */
  silentFor(session: SessionListItem, now: number): number | undefined {
    if (!this.isLive || session.status === "dead" || session.activity !== "running") return undefined;
    const silent = now - Math.max(this.heardSince, this.signs.get(session.sessionId)?.at ?? 0);
    return silent >= SILENT_MS ? Math.floor(silent / LOOK_MS) * LOOK_MS : undefined;
  }

  marked(session: SessionListItem, now: number): Watched {
    const silentMs = this.silentFor(session, now);
    return silentMs === undefined ? session : { ...session, silentMs };
  }

  /** What is known of all sessions, with those that are silent marked. */
  markedIn(directory: Directory, now: number): Directory {
    const silent = [...directory.sessions.values()]
      .map((session) => this.marked(session, now))
      .filter(({ sessionId, silentMs }) => silentMs !== undefined && !asks(directory, sessionId));
    if (silent.length === 0) return directory;
    const sessions = new Map(directory.sessions);
    for (const session of silent) sessions.set(session.sessionId, session);
    return { ...directory, sessions };
  }
}

function asks({ permissions }: Directory, sessionId: SessionId): boolean {
  return waitingIn(permissions, sessionId).length > 0;
}

/** "1 min 20 s". */
export function silenceText(silentMs: number): string {
  const seconds = Math.floor(silentMs / 1_000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes >= 10 || rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}
