/** Hands messages to the server: by the socket, or by HTTP where they have images or are long. What is lost on the way is sent again. */
import type { Attachment, ClientFrame, ClientMessageId, SessionId } from "../contract";
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
  /** What this connection was given. */
  private readonly handed = new Set<ClientMessageId>();
  private again: ReturnType<typeof setTimeout> | undefined;
  /** What another window wrote and sends; what is still there after a while was left by one that was closed. */
  private readonly theirs = new Set<ClientMessageId>();
  private left: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly actions: SenderActions,
  ) {
    outbox.follow((clientMessageId, isGone) => {
      if (!isGone) this.sendLater(clientMessageId);
      this.sendNew();
    });
    this.bringImages();
  }

  /** After a reconnect or a request that got no answer: the id makes sending twice the same as sending once. */
  sendAll(): void {
    this.handed.clear();
    this.theirs.clear();
    this.bringImages();
    this.sendNew();
  }

  private bringImages(): void {
    this.outbox.bringImages(() => this.sendNew());
  }

  /** What was not handed over yet: something was written, or what it waited for is gone. */
  sendNew(): void {
    if (this.actions.isLive()) for (const message of this.ready()) this.hand(message);
    this.actions.changed();
  }

  /** The server has it. */
  confirmed(clientMessageId: ClientMessageId | undefined): void {
    if (clientMessageId !== undefined && this.outbox.take(clientMessageId)) this.sendNew();
  }

  private sendLater(clientMessageId: ClientMessageId): void {
    this.theirs.add(clientMessageId);
    clearTimeout(this.left);
    this.left = setTimeout(() => {
      this.theirs.clear();
      this.sendNew();
    }, AGAIN_MS);
  }

  /** In each session, what goes by the socket goes in a row; HTTP is another way, where one could overtake the other. */
  private ready(): Outgoing[] {
    const before = new Map<SessionId, "socket" | "http">();
    return this.outbox.sendable().filter((message) => {
      const earlier = before.get(message.sessionId);
      const way = earlier === "http" ? "http" : this.wayOf(message);
      before.set(message.sessionId, way);
      return earlier === undefined || way === "socket";
    });
  }

  private wayOf(message: Outgoing): "socket" | "http" {
    return this.outbox.imagesOf(message.clientMessageId).length > 0 || isLong(message) ? "http" : "socket";
  }

  private hand(message: Outgoing): void {
    const { clientMessageId } = message;
    if (this.handed.has(clientMessageId) || this.theirs.has(clientMessageId)) return;
    if (this.wayOf(message) === "http") return void this.byHttp(message);
    const refused = (reason: string) => this.refused(clientMessageId, reason);
    if (!this.actions.bySocket(message, refused)) return;
    this.handed.add(clientMessageId);
    this.outbox.tried(clientMessageId);
  }

  private async byHttp({ sessionId, clientMessageId, content, delivery }: Outgoing): Promise<void> {
    if (this.underWay.has(clientMessageId)) return;
    this.underWay.add(clientMessageId);
    this.handed.add(clientMessageId);
    this.outbox.tried(clientMessageId);
    try {
      const attachments = await Promise.all(this.outbox.imagesOf(clientMessageId).map(attachmentOf));
      await sendMessage(sessionId, { content, clientMessageId, attachments, ...(delivery && { delivery }) });
      this.confirmed(clientMessageId);
    } catch (error) {
      this.failed(clientMessageId, error);
    } finally {
      this.underWay.delete(clientMessageId);
    }
  }

  private failed(clientMessageId: ClientMessageId, error: unknown): void {
    const status = error instanceof ApiError ? error.status : undefined;
    // Logged out: whoever comes back finds it here.
    if (status === 401) return this.actions.changed();
    if (status !== 0) return this.refused(clientMessageId, reasonOf(error));
    clearTimeout(this.again);
    this.again = setTimeout(() => this.sendAll(), AGAIN_MS);
  }

  private refused(clientMessageId: ClientMessageId, reason: string): void {
    this.actions.refused(clientMessageId, reason);
    this.sendNew();
  }
}

/** How the socket is told of one. */
export function sendFrame({ sessionId, clientMessageId, content, delivery }: Outgoing): ClientFrame {
  return { type: "session:send", sessionId, clientMessageId, content, ...(delivery && { delivery }) };
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
