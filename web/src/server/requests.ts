/** Messages whose answer matters to whoever sent them. */

import type { ClientFrame, RequestId, ServerFrame } from "../contract";
import type { Connection } from "./connection";

export type Refusal = (message: string) => void;

type Waiting = { refused: Refusal; taken: () => void };

export class Requests {
  private readonly waiting = new Map<RequestId, Waiting>();
  private sent = 0;

  constructor(private readonly connection: Connection) {}

  /** Sends a message; false when there is no connection. */
  send(frame: ClientFrame, refused: Refusal, taken = () => {}): boolean {
    this.sent += 1;
    const requestId = `r${this.sent}`;
    const isSent = this.connection.send({ ...frame, requestId });
    if (isSent) this.waiting.set(requestId, { refused, taken });
    return isSent;
  }

  /** Passes on an answer to whom it concerns; false when it is not known whose it is. */
  settle(frame: ServerFrame): boolean {
    if (frame.requestId === undefined) return false;
    const known = this.waiting.get(frame.requestId);
    this.waiting.delete(frame.requestId);
    if (frame.type === "error") known?.refused(frame.message);
    else known?.taken();
    return known !== undefined;
  }

  /** A new connection knows nothing of requests sent over the old one. */
  forget(): void {
    this.waiting.clear();
  }
}
