/** Says whether this page is in touch with the server: a word in the header, and a banner when it is not. */

import { element, setText } from "../dom/dom";
import type { ConnectionState } from "../server/connection";

const WORDS: Record<ConnectionState, string> = {
  connecting: "Connecting",
  live: "Live",
  offline: "Offline, trying again",
};
const LOST = "The connection to the server is lost. Trying again…";
const BACK = "The connection is back.";
const DRAINING = "The server is restarting…";
/** A connection that comes back within this was never seen to be gone. */
const PATIENCE_MS = 300;

export class StatusBar {
  readonly root = element("p", "connection");
  /** A landmark of its own: it goes with whatever screen is in sight. */
  readonly banner = element("section", "connection-banner");
  private isDraining = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isLost = false;

  /** `say` is for those who do not see the banner. */
  constructor(private readonly say: (text: string) => void) {
    this.banner.ariaLabel = "Connection";
    this.draw("connecting");
  }

  show(state: ConnectionState): void {
    if (state === "live") this.isDraining = false;
    if (state !== "offline") return this.draw(state);
    this.timer ??= setTimeout(() => this.draw("offline"), PATIENCE_MS);
  }

  /** The server said that it is about to stop. */
  draining(): void {
    this.isDraining = true;
    this.drawBanner(DRAINING);
    this.say(DRAINING);
  }

  private draw(state: ConnectionState): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.root.dataset.connection = state;
    setText(this.root, WORDS[state]);
    this.saySo(state);
    if (this.isDraining) this.drawBanner(DRAINING);
    else this.drawBanner(state === "offline" ? LOST : "");
  }

  /** Once when it is lost and once when it is back, however often it was tried in between. */
  private saySo(state: ConnectionState): void {
    if (state === "connecting" || this.isLost === (state === "offline")) return;
    this.isLost = state === "offline";
    this.say(this.isLost ? LOST : BACK);
  }

  private drawBanner(text: string): void {
    setText(this.banner, text);
    this.banner.hidden = text === "";
  }
}
