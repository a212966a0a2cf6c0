/** Messages whose refusal matters to whoever sent them. */

import type { ClientFrame, RequestId, ServerFrame } from "../contract";
import type { Connection } from "./connection";

export type Refusal = (message: string) => void;

export class Requests {
  private readonly refusals = new Map<RequestId, Refusal>();
  private sent = 0;

  constructor(private readonly connection: Connection) {}

  /** Sends a message; false when there is no connection. */
  send(frame: ClientFrame, refused: Refusal): boolean {
    this.sent += 1;
    const requestId = `r${this.sent}`;
    const isSent = this.connection.send({ ...frame, requestId });
    if (isSent) this.refusals.set(requestId, refused);
    return isSent;
  }

  /** Passes on a refusal to whom it concerns; false when it is not known whose it is. */
  settle(frame: ServerFrame): boolean {
    if (frame.requestId === undefined) return false;
    const refused = this.refusals.get(frame.requestId);
    this.refusals.delete(frame.requestId);
    if (refused && frame.type === "error") refused(frame.message);
    return refused !== undefined;
  }

  /** A new connection knows nothing of requests sent over the old one. */
  forget(): void {
    this.refusals.clear();
  }
}
