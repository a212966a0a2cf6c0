/** Stopping the turn that runs: at once by a button, or by Esc when it is pressed twice. */
import { AGAIN_MS, StopTwice } from "../agent/stop-twice";
import type { Composer } from "../compose/composer";
import { cancelTurn } from "../server/api";
import { isRunning, type Scene } from "./talk-model";

export class TurnStop {
  private readonly twice = new StopTwice();

  constructor(
    private readonly composer: Pick<Composer, "stopping" | "warn">,
    private readonly scene: Scene,
  ) {}

  /** The first press says what the second one does. */
  pressed(): void {
    if (this.twice.pressed(Date.now())) return this.stop();
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

  /** The first press does not count any more. */
  forget(): void {
    if (this.twice.isArmed(Date.now())) this.composer.warn("");
    this.twice.forget();
  }
}
