/** What can be done with messages that wait: the server is asked about those that it has, the others are changed in the outbox. */
import type { SessionId } from "../contract";
import { changeQueued, removeQueued, resumeQueue } from "../server/api";
import type { MessageSender } from "../server/message-sender";
import type { Outbox } from "../server/outbox";
import { movesTo } from "./queue-order";
import type { QueueActions } from "./queue-panel";

export type QueueContext = {
  outbox: Outbox;
  sender: MessageSender;
  /** Asks something of the open session's queue, and tells what is refused; the text that it would have set is not lost then. */
  ask(work: (sessionId: SessionId) => Promise<void>, text?: string): void;
  orphaned(text: string, hasBegun: boolean): void;
};

export function queueActions({ outbox, sender, ask, orphaned }: QueueContext): QueueActions {
  const isUnsent = (id: string) => outbox.all().some(({ clientMessageId }) => clientMessageId === id);
  return {
    change: (id, content) => {
      if (isUnsent(id)) outbox.change(id, { content });
      else ask((sessionId) => changeQueued(sessionId, id, { content }), content);
    },
    remove: (id) => {
      if (!isUnsent(id)) return ask((sessionId) => removeQueued(sessionId, id));
      outbox.take(id);
      sender.sendNew();
    },
    sendNow: (id) => ask((sessionId) => changeQueued(sessionId, id, { sendNow: true })),
    sendWithoutImages: (id) => {
      outbox.change(id, { imageNames: [] });
      sender.sendNew();
    },
    editing: (id, isEditing) => {
      outbox.hold(id, isEditing);
      if (!isEditing && isUnsent(id)) sender.sendNew();
    },
    move: (id, order, to) =>
      ask(async (sessionId) => {
        for (const { turnId, before } of movesTo(order, id, to))
          await changeQueued(sessionId, turnId, { before });
      }),
    resume: () => ask((sessionId) => resumeQueue(sessionId)),
    orphaned,
  };
}
