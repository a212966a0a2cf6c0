/** What the agent of the open session can be set to: fetched when something may have changed, kept for that session only. */
import type { SessionId, SessionOptions, SlashCommand } from "../contract";
import { ApiError, sessionOptions } from "../server/api";

const NOTHING: SessionOptions = { models: [], modes: [], commands: [] };

export class OpenOptions {
  private sessionId: SessionId | undefined;
  private seen = "";
  private options = NOTHING;
  private asked = 0;

  constructor(private readonly changed: () => void) {}

  /** Nothing while they are not known. */
  of(sessionId: SessionId): SessionOptions {
    return sessionId === this.sessionId ? this.options : NOTHING;
  }

  /** `sign` is whatever tells that the agent may offer something else now. */
  follow(sessionId: SessionId, sign: string): void {
    if (sessionId === this.sessionId && sign === this.seen) return;
    this.turnTo(sessionId);
    this.seen = sign;
    void this.refresh();
  }

  /** Commands may be announced a moment after the agent is ready, so who wants one asks again. */
  async commands(sessionId: SessionId): Promise<SlashCommand[]> {
    this.turnTo(sessionId);
    if (this.options.commands.length === 0) await this.refresh();
    return this.of(sessionId).commands;
  }

  take(sessionId: SessionId, options: SessionOptions): void {
    if (sessionId !== this.sessionId) return;
    this.asked += 1;
    this.options = options;
    this.changed();
  }

  private turnTo(sessionId: SessionId): void {
    if (sessionId === this.sessionId) return;
    this.sessionId = sessionId;
    this.seen = "";
    this.options = NOTHING;
  }

  private async refresh(): Promise<void> {
    const { sessionId } = this;
    if (sessionId === undefined) return;
    this.asked += 1;
    const { asked } = this;
    try {
      const options = await sessionOptions(sessionId);
      // A later answer is the newer one.
      if (asked === this.asked) this.take(sessionId, options);
    } catch (error) {
      // Without them there is nothing to choose; what is wrong is told elsewhere.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
