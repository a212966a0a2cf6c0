/** Says above the composer when the session's agent is not there, why, and how to go on. */
import { button, element, setText } from "../dom/dom";
import { visibleText } from "../text/visible-text";
import type { AgentNote } from "./agent-words";

export class AgentBanner {
  readonly root = element("section", "agent-banner");
  private readonly title = element("p", "agent-banner-title");
  private readonly reason = element("p", "agent-banner-reason");
  private readonly hint = element("p", "agent-banner-hint");
  private readonly resume: HTMLButtonElement;

  constructor(resume: () => void) {
    this.root.setAttribute("aria-label", "Agent");
    this.root.setAttribute("aria-live", "polite");
    this.resume = button("Resume", "", resume);
    this.resume.title = "Start the agent again (Alt+R)";
    this.root.append(element("div", "agent-banner-text", this.title, this.reason, this.hint), this.resume);
    this.render(undefined, false);
  }

  render(note: AgentNote | undefined, isLive: boolean): void {
    this.root.hidden = note === undefined;
    if (!note) return;
    this.root.dataset.kind = note.kind;
    setText(this.title, note.title);
    setText(this.reason, visibleText(note.reason));
    this.reason.hidden = note.reason === "";
    setText(this.hint, note.hint);
    this.resume.hidden = !note.canResume;
    this.resume.disabled = !isLive;
  }
}
