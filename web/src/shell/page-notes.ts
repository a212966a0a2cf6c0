/** What is wrong with the page as a whole, under the header of whatever screen is in sight, over what is read there. */
import { button, element, setText } from "../dom/dom";
import { visibleText } from "../text/visible-text";
import { RoomForNotes } from "./room-for-notes";

export class PageNotes {
  readonly root = element("div", "page-notes");
  private readonly list = element("div", "page-notes-list");
  private readonly problem = element("div", "problem");
  private readonly text = element("p", "");

  /** `notes` stand above the last failure. */
  constructor(...notes: HTMLElement[]) {
    this.problem.role = "alert";
    this.problem.append(
      this.text,
      button("Dismiss", "quiet", () => this.clearProblem()),
    );
    this.clearProblem();
    this.list.append(...notes, this.problem);
    this.root.append(this.list);
    new RoomForNotes(this.list);
  }

  showProblem(text: string): void {
    setText(this.text, visibleText(text));
    this.problem.hidden = false;
  }

  clearProblem(): void {
    this.problem.hidden = true;
  }
}
