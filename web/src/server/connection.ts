/**
 * The one WebSocket of the page.
 *
 * It negotiates the message family, comes back by itself when lost, and tells when it is live. What was open before is
 * opened again by whoever listens to `live`.
 */
import type { ClientFrame, ServerFrame } from "../contract";
import { socketProtocols } from "./page-key";
import { reconnectDelay } from "./reconnect-delay";

export type ConnectionState = "connecting" | "live" | "offline";

export type ConnectionListener = {
  stateChanged(state: ConnectionState): void;
  received(frame: ServerFrame): void;
  /** An attempt ended before the server had greeted: it is away, or it does not know us any more. */
  refused(): void;
};

/** With what sessions do that this page did not open. */
const HELLO: ClientFrame = {
  type: "session:hello",
  streamProtocol: "upsert-v2",
  capabilities: { glances: true },
};
/** How long the server may take to answer a greeting or a ping before the socket counts as lost. */
const ANSWER_MS = 5_000;
/**
 * The most that an answer may take. A browser does not tell of a message that is still arriving: on a slow line a long one looks
 * like silence, so each time that nothing is heard the next connection is given twice as long.
 */
const MOST_ANSWER_MS = 80_000;
/** A server that has said nothing for so long is asked whether it is still there. */
const QUIET_MS = 15_000;

export class Connection {
  private socket: WebSocket | undefined;
  private live = false;
  private retries = 0;
  private patience = ANSWER_MS;
  private isProbing = false;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private answerTimer: ReturnType<typeof setTimeout> | undefined;
  private quietTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string,
    private readonly listener: ConnectionListener,
  ) {}

  start(): void {
    window.addEventListener("online", this.wake);
    // The server may be on this machine and still be there: only asking tells.
    window.addEventListener("offline", this.wake);
    document.addEventListener("visibilitychange", this.wake);
    this.listener.stateChanged("connecting");
    this.connect();
  }

  stop(): void {
    window.removeEventListener("online", this.wake);
    window.removeEventListener("offline", this.wake);
    document.removeEventListener("visibilitychange", this.wake);
    clearTimeout(this.retryTimer);
    this.drop();
  }

  /** Sends a message; false when there is nobody to send it to. */
  send(frame: ClientFrame): boolean {
    return this.live && this.write(frame);
  }

  private connect(): void {
    const socket = new WebSocket(this.url, socketProtocols());
    this.socket = socket;
    socket.onopen = () => this.write(HELLO);
    socket.onmessage = (event) => this.receive(String(event.data));
    socket.onclose = () => this.lost();
    this.expectAnswer(ANSWER_MS);
  }

  private receive(text: string): void {
    clearTimeout(this.answerTimer);
    if (this.isProbing) this.patience = ANSWER_MS;
    this.isProbing = false;
    this.expectMore();
    const frame = JSON.parse(text) as ServerFrame;
    if (frame.type === "session:hello:ack") this.greeted();
    this.listener.received(frame);
  }

  private greeted(): void {
    this.live = true;
    this.retries = 0;
    this.listener.stateChanged("live");
  }

  private lost(): void {
    const wasLive = this.live;
    if (this.isProbing) this.patience = Math.min(2 * this.patience, MOST_ANSWER_MS);
    this.drop();
    this.retryTimer = setTimeout(() => this.connect(), reconnectDelay(this.retries, Math.random()));
    this.retries += 1;
    this.listener.stateChanged("offline");
    if (!wasLive) this.listener.refused();
  }

  private drop(): void {
    clearTimeout(this.answerTimer);
    clearTimeout(this.quietTimer);
    this.live = false;
    this.isProbing = false;
    if (!this.socket) return;
    this.socket.onopen = null;
    this.socket.onmessage = null;
    this.socket.onclose = null;
    this.socket.close();
    this.socket = undefined;
  }

  /** The network or the reader came back: do not wait for the timer, and do not trust a socket that slept. */
  private readonly wake = (): void => {
    if (document.hidden) return;
    if (this.live) this.probe();
    else if (!this.socket) this.retryNow();
  };

  private probe(): void {
    this.write({ type: "ping" });
    this.isProbing = true;
    this.expectAnswer(this.patience);
  }

  private retryNow(): void {
    clearTimeout(this.retryTimer);
    this.retries = 0;
    this.connect();
  }

  private expectAnswer(within: number): void {
    clearTimeout(this.answerTimer);
    this.answerTimer = setTimeout(() => this.lost(), within);
  }

  private expectMore(): void {
    clearTimeout(this.quietTimer);
    this.quietTimer = setTimeout(() => this.probe(), QUIET_MS);
  }

  /** A socket that is about to close takes nothing more, and is not heard of until it has. */
  private write(frame: ClientFrame): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }
}
