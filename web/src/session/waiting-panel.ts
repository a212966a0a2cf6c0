/** What waits in the open session, with its place in the conversation: a text that finds no other place goes back to the composer. */
import type { Composer } from "../compose/composer";
import type { SessionId } from "../contract";
import { queueActions } from "../queue/queue-actions";
import { QueuePanel } from "../queue/queue-panel";
import type { MessageSender } from "../server/message-sender";
import type { Outbox, Outgoing } from "../server/outbox";
import { isRunning, type OpenTalk, type Scene } from "./talk-model";

export type WaitingParts = {
  outbox: Outbox;
  sender: MessageSender;
  composer: Pick<Composer, "putBack">;
  problem(text: string): void;
};

const BELOW = "What you wrote stands below.";
const ELSEWHERE = "What you wrote is in the message box of its session.";

export class WaitingPanel {
  readonly queue: QueuePanel;

  constructor(
    private readonly parts: WaitingParts,
    private readonly scene: Scene,
  ) {
    const { outbox, sender, composer, problem } = parts;
    this.queue = new QueuePanel(
      queueActions({
        outbox,
        sender,
        ask: (work, text) => this.ask(work, text),
        orphaned: (text, hasBegun) => {
          composer.putBack(text);
          const why = hasBegun ? "has begun" : "does not wait any more";
          problem(`The message that you were changing ${why}. ${BELOW}`);
        },
      }),
    );
  }

  render(open: OpenTalk): void {
    const { session, status, unsent, isLive } = open;
    this.queue.render({
      sessionId: session.sessionId,
      queued: status?.queued ?? [],
      unsent,
      isLive,
      isRunning: isRunning(open),
      running: status?.turnId,
      lacksImages: (message: Outgoing) => this.parts.outbox.lacksImages(message),
    });
  }

  private ask(work: (sessionId: SessionId) => Promise<void>, text?: string): void {
    const { sessionId } = this.scene.open?.session ?? {};
    if (sessionId === undefined) return;
    const done = work(sessionId);
    if (text === undefined) return void this.scene.attempt(done);
    const putBack = () => this.parts.composer.putBack(text, sessionId);
    const isHere = () => sessionId === this.scene.open?.session.sessionId;
    void this.scene.attempt(done, putBack, () => (isHere() ? BELOW : ELSEWHERE));
  }
}
