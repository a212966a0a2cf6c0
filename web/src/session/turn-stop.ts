/** Stopping the turn that runs: at once by a button, or by Esc when it is pressed twice. */
import { AGAIN_MS, StopTwice } from "../agent/stop-twice";
import type { Composer } from "../compose/composer";
import { cancelTurn } from "../server/api";
import { isRunning, type OpenTalk, type Scene } from "./talk-model";

export class TurnStop {
  private readonly twice = new StopTwice();

  constructor(
    private readonly composer: Pick<Composer, "stopping" | "warn">,
    private readonly scene: Scene,
  ) {}

  /** The first press says what the second one does. */
  pressed(): void {
    const what = turnOf(this.scene.open);
    if (what === undefined) return;
    if (this.twice.pressed(Date.now(), what)) return this.stop();
    this.composer.warn("Press Esc again to stop");
    setTimeout(() => {
      if (!this.twice.isArmed(Date.now())) this.composer.warn("");
    }, AGAIN_MS + 50);
  }

  stop(): void {
    this.forget();
    const { open } = this.scene;
    if (!open || !isRunning(open)) return;
    const { sessionId } = open.session;
    const turnId = open.status?.turnId;
    this.composer.stopping(true);
    // What waited may run by then, and can be stopped too.
    const done = () => {
      if (sessionId === this.scene.open?.session.sessionId) this.composer.stopping(false);
    };
    void this.scene.attempt(cancelTurn(sessionId, turnId === undefined ? {} : { turnId }).then(done), done);
  }

  /** What is looked at has changed: a press that was meant for something else does not count any more. */
  follow(open: OpenTalk | undefined): void {
    if (!this.twice.isFor(turnOf(open))) this.forget();
  }

  private forget(): void {
    if (this.twice.isArmed(Date.now())) this.composer.warn("");
    this.twice.forget();
  }
}

/** What runs there; nothing if nothing does. */
function turnOf(open: OpenTalk | undefined): string | undefined {
  return open && isRunning(open) ? `${open.session.sessionId} ${open.status?.turnId ?? ""}` : undefined;
}
