/** Says that the open session gives no sign of life, and offers to stop it, or to end an agent that does not even hear that. */
import type { SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { silenceText, type Watched } from "./stall-watch";

export type StallActions = {
  stop(sessionId: SessionId): void;
  /** Asks first. */
  end(): void;
};

export class StallNote {
  readonly root = element("div", "stall-note");
  private readonly text = element("p", "stall-text");
  private readonly endIt: HTMLButtonElement;
  private sessionId: SessionId | undefined;

  constructor({ stop, end }: StallActions) {
    const stopIt = button("Stop", "quiet", () => this.sessionId !== undefined && stop(this.sessionId));
    stopIt.setAttribute("aria-label", "Stop what gives no sign of life");
    this.endIt = button("End agent", "quiet", end);
    this.endIt.setAttribute("aria-label", "End the agent that gives no sign of life");
    this.text.ariaLive = "off";
    this.root.append(this.text, stopIt, this.endIt);
    this.render(undefined, false);
  }

  /** `canEnd`: whether it has an agent that can be ended, after which it is resumed where that is said. */
  render(session: Watched | undefined, canEnd: boolean): void {
    this.endIt.hidden = !canEnd;
    const silent = session?.silentMs;
    this.sessionId = session?.sessionId;
    this.root.hidden = silent === undefined;
    setText(this.text, silent === undefined ? "" : `No sign of life for ${silenceText(silent)}`);
  }
}
