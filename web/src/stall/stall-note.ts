/** Says that the open session gives no sign of life, and offers to stop it. */
import type { SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { silenceText, type Watched } from "./stall-watch";

export class StallNote {
  readonly root = element("div", "stall-note");
  private readonly text = element("p", "stall-text");
  private sessionId: SessionId | undefined;

  constructor(stop: (sessionId: SessionId) => void) {
    const stopIt = button("Stop", "quiet", () => this.sessionId !== undefined && stop(this.sessionId));
    stopIt.setAttribute("aria-label", "Stop what gives no sign of life");
    this.text.ariaLive = "off";
    this.root.append(this.text, stopIt);
    this.render(undefined);
  }

  render(session: Watched | undefined): void {
    const silent = session?.silentMs;
    this.sessionId = session?.sessionId;
    this.root.hidden = silent === undefined;
    setText(this.text, silent === undefined ? "" : `No sign of life for ${silenceText(silent)}`);
  }
}
