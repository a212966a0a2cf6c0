/** Hands messages to the server: by the socket, or by HTTP where they have images or are long. What is lost on the way is sent again. */
import type { Attachment, ClientMessageId } from "../contract";
import { ApiError, sendMessage } from "./api";
import type { Outbox, Outgoing } from "./outbox";

export type SenderActions = {
  isLive(): boolean;
  /** False when there is no connection. */
  bySocket(message: Outgoing, refused: (reason: string) => void): boolean;
  refused(clientMessageId: ClientMessageId, reason: string): void;
  /** What waits has changed. */
  changed(): void;
};

/** A request that got no answer while the socket lives is made again after this. */
const AGAIN_MS = 3_000;
/** A message over 1 MiB costs the socket: it is closed. This leaves room for what is around a text. */
const SOCKET_BYTES = 768 * 1024;

export class MessageSender {
  private readonly underWay = new Set<ClientMessageId>();
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly actions: SenderActions,
  ) {}

  /** A new message: behind one that is held it waits too. */
  send(message: Outgoing): void {
    if (this.outbox.sendable().some(({ clientMessageId }) => clientMessageId === message.clientMessageId))
      this.hand(message);
    this.actions.changed();
  }

  /** After a reconnect, a reload or a change: the id makes sending twice the same as sending once. */
  sendAll(): void {
    for (const message of this.outbox.sendable()) this.hand(message);
    this.actions.changed();
  }

  /** Those that were not tried yet, after one that was held has been let go. */
  sendUntried(): void {
    for (const message of this.outbox.sendable()) if (!message.isTried) this.hand(message);
    this.actions.changed();
  }

  private hand(message: Outgoing): void {
    if (!this.actions.isLive()) return;
    const { clientMessageId } = message;
    const images = this.outbox.imagesOf(clientMessageId);
    if (images.length > 0 || isLong(message)) return void this.byHttp(message, images);
    const isSent = this.actions.bySocket(message, (reason) => this.actions.refused(clientMessageId, reason));
    if (isSent) this.outbox.tried(clientMessageId);
  }

  private async byHttp(
    { sessionId, clientMessageId, content, delivery }: Outgoing,
    images: File[],
  ): Promise<void> {
    if (this.underWay.has(clientMessageId)) return;
    this.underWay.add(clientMessageId);
    this.outbox.tried(clientMessageId);
    try {
      const attachments = await Promise.all(images.map(attachmentOf));
      await sendMessage(sessionId, { content, clientMessageId, attachments, ...(delivery && { delivery }) });
      this.outbox.take(clientMessageId);
    } catch (error) {
      this.failed(clientMessageId, error);
    } finally {
      this.underWay.delete(clientMessageId);
      this.actions.changed();
    }
  }

  private failed(clientMessageId: ClientMessageId, error: unknown): void {
    const isLost = error instanceof ApiError && error.status === 0;
    if (!isLost) return this.actions.refused(clientMessageId, reasonOf(error));
    clearTimeout(this.again);
    this.again = setTimeout(() => this.sendAll(), AGAIN_MS);
  }
}

/** As it is written on the wire: escapes and letters of several bytes count. */
function isLong(message: Outgoing): boolean {
  return new TextEncoder().encode(JSON.stringify(message)).length > SOCKET_BYTES;
}

function reasonOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "An image could not be read. Add it again.";
}

async function attachmentOf(file: File): Promise<Attachment> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return { name: file.name, mimeType: file.type, data: url.slice(url.indexOf(",") + 1) };
}
