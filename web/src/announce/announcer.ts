/**
 * Says what has happened to those who do not see the page.
 *
 * Text that grows is never read out as it grows: one line is said when something is done. What is said goes away again, so
 * that nobody finds it by reading on.
 */
import { element } from "../dom/dom";

const SAID_MS = 10_000;

export class Announcer {
  readonly root = element("div", "unseen");
  private readonly polite = element("div", "announce-polite");
  private readonly urgent = element("div", "announce-urgent");

  constructor() {
    this.polite.role = "status";
    this.urgent.role = "alert";
    // Only what is new is said, not all that still stands there.
    for (const region of [this.polite, this.urgent]) region.ariaAtomic = "false";
    this.root.append(this.polite, this.urgent);
  }

  /** When there is time. */
  say(text: string): void {
    say(this.polite, text);
  }

  /** At once: someone waits for an answer. */
  interrupt(text: string): void {
    say(this.urgent, text);
  }
}

function say(region: HTMLElement, text: string): void {
  const line = element("p", "", text);
  region.append(line);
  setTimeout(() => line.remove(), SAID_MS);
}
