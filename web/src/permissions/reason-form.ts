/** Room for words that go to the agent with a refusal. */
import { button, element } from "../dom/dom";

export class ReasonForm {
  readonly root = element("div", "reason-form");
  private readonly words = element("textarea", "reason-words");
  private readonly submit: HTMLButtonElement;

  constructor(
    private readonly given: (reason: string) => void,
    private readonly left: () => void,
  ) {
    this.words.rows = 2;
    this.words.setAttribute("aria-label", "What the agent should do instead");
    this.words.placeholder = "What should it do instead?";
    this.words.addEventListener("input", () => this.follow());
    this.words.addEventListener("keydown", (event) => this.pressed(event));
    this.submit = button("Reject and say this", "", () => this.send());
    const cancel = button("Back", "quiet", () => this.close());
    this.root.append(this.words, element("div", "permission-options", this.submit, cancel));
    this.root.hidden = true;
    this.follow();
  }

  open(): void {
    this.root.hidden = false;
    this.words.focus();
  }

  close(): void {
    this.root.hidden = true;
    this.left();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) this.send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private send(): void {
    const reason = this.words.value.trim();
    if (reason !== "") this.given(reason);
  }

  private follow(): void {
    this.submit.disabled = this.words.value.trim() === "";
  }
}
