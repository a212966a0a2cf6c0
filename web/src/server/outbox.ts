/**
 * The messages that the server has not confirmed yet, in the order in which they were written.
 *
 * They outlive lost connections and reloads. Their id makes sending one twice the same as sending it once.
 */

import { KeptTexts, type TextStore } from "../compose/kept-text";
import type { ClientMessageId, SessionId } from "../contract";

export type Outgoing = {
  sessionId: SessionId;
  clientMessageId: ClientMessageId;
  content: string;
  /** When it was written, in milliseconds. */
  writtenAt: number;
};

export class Outbox {
  private readonly kept: KeptTexts;
  private readonly messages: Map<ClientMessageId, Outgoing>;

  constructor(store: TextStore) {
    this.kept = new KeptTexts("liminal-outbox ", store);
    const read = this.kept.entries().map(([, text]) => messageOf(text));
    const known = read.filter((message) => message !== undefined).sort((a, b) => a.writtenAt - b.writtenAt);
    this.messages = new Map(known.map((message) => [message.clientMessageId, message]));
  }

  add(message: Outgoing): void {
    this.messages.set(message.clientMessageId, message);
    this.kept.set(message.clientMessageId, JSON.stringify(message));
  }

  /** Takes a message out, whether the server has it or refused it. */
  take(clientMessageId: ClientMessageId): Outgoing | undefined {
    const message = this.messages.get(clientMessageId);
    this.messages.delete(clientMessageId);
    this.kept.delete(clientMessageId);
    return message;
  }

  all(): Outgoing[] {
    return [...this.messages.values()];
  }

  of(sessionId: SessionId | undefined): Outgoing[] {
    return this.all().filter((message) => message.sessionId === sessionId);
  }
}

/** Storage may hold anything; what is no message of ours is not sent. */
function messageOf(text: string): Outgoing | undefined {
  try {
    const { sessionId, clientMessageId, content, writtenAt } = JSON.parse(text) as Partial<Outgoing>;
    if (typeof sessionId !== "string" || typeof clientMessageId !== "string") return undefined;
    if (typeof content !== "string" || typeof writtenAt !== "number") return undefined;
    return { sessionId, clientMessageId, content, writtenAt };
  } catch {
    return undefined;
  }
}
