/** Says whether this page is in touch with the server. */
import type { ConnectionState } from "./connection";
import { element, setText } from "./dom";

const WORDS: Record<ConnectionState, string> = {
  connecting: "Connecting",
  live: "Live",
  offline: "Offline, trying again",
};

export class StatusBar {
  readonly root = element("p", "connection");

  constructor() {
    this.root.role = "status";
    this.show("connecting");
  }

  show(state: ConnectionState): void {
    this.root.dataset.connection = state;
    setText(this.root, WORDS[state]);
  }
}
