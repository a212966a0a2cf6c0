/** Asks someone whether an agent may do what it wants to do. */
import type { PermissionAnswer, PermissionOption, PermissionRequest } from "../contract";
import { button, element, setText } from "../dom/dom";
import { cameToPointer } from "../dom/pointer-place";
import { WATCHED } from "../dom/still-place";
import { visibleLine } from "../text/visible-text";
import { GRACE_MS, Grace } from "./grace";
import { ignoreWhatMoved, JUST_MOVED } from "./moved-press";
import { type AnswerKey, allows, isAnswerKey, keysOf, optionFor } from "./option-choice";
import { QuestionForm } from "./permission-questions";
import { ReasonForm } from "./reason-form";
import { requestView } from "./request-view";

const TOO_SOON = "Too soon after it came up: nothing was sent.";
const UNANSWERED = "Answer the questions first.";
const NO_SUCH_ANSWER = "The agent does not offer that many answers.";
const NOT_OFFERED: Partial<Record<AnswerKey, string>> = {
  y: "The agent does not offer to allow it once.",
  a: "The agent does not offer to allow it always.",
  n: "The agent does not offer to reject it.",
};

export type CardState = { isSent: boolean; problem: string | undefined };

export class PermissionCard {
  readonly root = element("section", "permission");
  private readonly buttons: HTMLButtonElement[];
  private readonly more: HTMLButtonElement[];
  private readonly options: HTMLElement;
  private readonly note = element("p", "permission-note");
  private readonly questions: QuestionForm;
  private readonly reason: ReasonForm;
  private readonly grace = new Grace(performance.now());
  /** For keys alone: the focus may come to it where the pointer does not. */
  private readonly keyGrace = new Grace(performance.now());
  private isSent = false;
  private holding: ReturnType<typeof setTimeout> | undefined;
  private remark = "";

  constructor(
    readonly request: PermissionRequest,
    private readonly answered: (answer: PermissionAnswer) => void,
  ) {
    this.questions = new QuestionForm(request.questions ?? [], request.permissionId, () => this.enable());
    this.buttons = request.options.map((option) => this.optionButton(option));
    this.reason = new ReasonForm(
      (reason) => this.reject(reason),
      () => this.showOptions(true),
    );
    this.more = [
      button("Reject with a reason", "quiet", () => this.giveReason()),
      button("Deny and stop", "quiet", () => this.answer({ cancel: true })),
    ];
    const [because] = this.more;
    if (because) because.hidden = optionFor(request.options, "n") === undefined;
    this.options = element(
      "div",
      `permission-options ${WATCHED}`,
      ...this.buttons,
      element("div", "permission-more", ...this.more),
    );
    this.build();
    this.enable();
    this.hold();
  }

  render({ isSent, problem }: CardState): void {
    this.isSent = isSent;
    // A button that is switched off loses the focus; the card keeps it, and passes it on when it is over.
    if (isSent && this.root.contains(document.activeElement)) this.root.focus();
    if (problem !== undefined) this.remark = "";
    setText(this.note, problem ?? (isSent ? "Sent." : this.remark));
    this.enable();
  }

  /** It is shown again, to someone who may be about to press what stood there before. */
  comeUp(): void {
    this.keyGrace.moved(performance.now());
    this.hold();
  }

  /** The focus came to it without being sent there. */
  arrive(): void {
    this.keyGrace.moved(performance.now());
    this.root.focus();
  }

  focus(): void {
    this.root.focus();
  }

  /** Answers by a key, wherever it was pressed. */
  press(key: AnswerKey): void {
    const option = optionFor(this.request.options, key);
    if (!option) return this.say(NOT_OFFERED[key] ?? NO_SUCH_ANSWER);
    if (allows(option.kind) && !this.questions.isAnswered) return this.say(UNANSWERED);
    if (!this.keyGrace.isOver(performance.now())) return this.say(TOO_SOON);
    this.choose(option);
  }

  /** Whether it has been there long enough to be answered; says so if not. */
  get isReady(): boolean {
    if (this.isSent) return false;
    if (this.grace.isOver(performance.now())) return true;
    this.say(TOO_SOON);
    return false;
  }

  private build(): void {
    const { request, root } = this;
    root.dataset.permissionId = request.permissionId;
    root.tabIndex = 0;
    root.setAttribute("aria-label", "Permission request");
    this.note.role = "status";
    root.append(
      element(
        "div",
        "permission-head",
        element("h2", "permission-title", visibleLine(titleOf(request))),
        this.note,
      ),
      ...requestView(request),
      ...this.questions.roots,
      this.options,
      this.reason.root,
    );
    ignoreWhatMoved(this.options, () => this.say(JUST_MOVED));
    root.addEventListener("keydown", (event) => this.keyPressed(event));
    root.addEventListener("pointerenter", (event) => {
      if (cameToPointer(event)) this.hold();
    });
  }

  private optionButton(option: PermissionOption): HTMLButtonElement {
    const style = option.kind === "allow_once" ? "primary" : "";
    const made = button(visibleLine(option.name), style, () => this.choose(option));
    made.dataset.kind = option.kind;
    const keys = keysOf(this.request.options, option);
    if (keys[0] !== undefined) {
      const hint = element("kbd", "permission-key", keys[0]);
      hint.ariaHidden = "true";
      made.append(hint);
      made.setAttribute("aria-keyshortcuts", keys.join(" "));
    }
    return made;
  }

  private keyPressed(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!isAnswerKey(key) || (target instanceof Element && target.matches("input, textarea"))) return;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held down is one answer.
    if (!event.repeat) this.press(key);
  }

  private choose(option: PermissionOption): void {
    const answers = allows(option.kind) ? this.questions.answers() : undefined;
    this.answer({ optionId: option.optionId, ...(answers && { answers }) });
  }

  private reject(feedback: string): void {
    const option = optionFor(this.request.options, "n");
    if (option) this.answer({ optionId: option.optionId, feedback });
  }

  private answer(answer: PermissionAnswer): void {
    if (this.isReady) this.answered(answer);
  }

  private giveReason(): void {
    this.showOptions(false);
    this.reason.open();
  }

  private showOptions(shown: boolean): void {
    this.options.hidden = !shown;
    if (shown) this.root.focus();
  }

  /** Takes no answer for a moment. The buttons say so, but are not switched off: whoever presses one hears why. */
  private hold(): void {
    this.grace.moved(performance.now());
    clearTimeout(this.holding);
    const all = [...this.buttons, ...this.more];
    for (const one of all) one.ariaDisabled = "true";
    this.holding = setTimeout(() => {
      for (const one of all) one.ariaDisabled = null;
    }, GRACE_MS);
  }

  private say(remark: string): void {
    this.remark = remark;
    setText(this.note, remark);
  }

  /** Questions are answered before they can be sent; refusing needs no answers. */
  private enable(): void {
    for (const one of [...this.buttons, ...this.more]) one.disabled = this.isSent;
    if (this.questions.isAnswered) return;
    for (const one of this.buttons) if (one.dataset.kind?.startsWith("allow")) one.disabled = true;
  }
}

/** What asks is a tool, but what it is called says nothing to who is asked. */
function titleOf({ title, questions = [] }: PermissionRequest): string {
  if (questions.length === 0) return title;
  return questions.length === 1 ? "The agent has a question" : `The agent has ${questions.length} questions`;
}
