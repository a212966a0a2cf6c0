/** Asks someone whether an agent may do what it wants to do. */
import type { PermissionAnswer, PermissionOption, PermissionRequest } from "../contract";
import { button, element, setText } from "../dom/dom";
import { visibleJson, visibleLine, visibleText } from "../text/visible-text";
import { QuestionForm } from "./permission-questions";

/** A card that has just appeared under the pointer must not take a click that was meant for something else. */
const GRACE_MS = 500;

export class PermissionCard {
  readonly root = element("section", "permission");
  private readonly buttons: HTMLButtonElement[];
  private readonly note = element("p", "permission-note");
  private readonly questions: QuestionForm;
  private readonly approving: HTMLButtonElement[];
  private isOpen = false;

  constructor(
    request: PermissionRequest,
    private readonly answered: (answer: PermissionAnswer) => void,
  ) {
    this.questions = new QuestionForm(request.questions ?? [], request.permissionId, () =>
      this.enable(this.isOpen),
    );
    this.buttons = request.options.map((option) => this.optionButton(option));
    this.approving = this.buttons.filter(({ dataset }) => dataset.kind?.startsWith("allow"));
    this.root.dataset.permissionId = request.permissionId;
    this.root.setAttribute("aria-label", "Permission request");
    this.root.append(
      element("h2", "permission-title", visibleLine(request.title)),
      ...described(request),
      ...this.questions.roots,
      element("div", "permission-options", ...this.buttons),
      this.note,
    );
    this.enable(false);
    setTimeout(() => this.enable(true), GRACE_MS);
  }

  /** The answer did not arrive: it can be given again. */
  reopen(reason: string): void {
    setText(this.note, reason);
    this.enable(true);
  }

  private optionButton(option: PermissionOption): HTMLButtonElement {
    const style = option.kind === "allow_once" ? "primary" : "";
    const made = button(visibleLine(option.name), style, () => this.answer(option));
    made.dataset.kind = option.kind;
    return made;
  }

  private answer(option: PermissionOption): void {
    const answers = this.questions.answers();
    this.enable(false);
    setText(this.note, "Sent.");
    this.answered({ optionId: option.optionId, ...(answers && { answers }) });
  }

  /** Questions are answered before they can be sent; refusing needs no answers. */
  private enable(enabled: boolean): void {
    this.isOpen = enabled;
    for (const one of this.buttons) one.disabled = !enabled;
    if (!this.questions.isAnswered) for (const one of this.approving) one.disabled = true;
  }
}

function described(request: PermissionRequest): HTMLElement[] {
  const parts: HTMLElement[] = [];
  // Some agents have no other name for a tool than what it does this time.
  if (request.toolName !== undefined && request.toolName !== request.title) {
    parts.push(element("p", "permission-tool", "Tool ", element("code", "", visibleLine(request.toolName))));
  }
  if (request.plan !== undefined)
    parts.push(element("div", "text permission-plan", visibleText(request.plan)));
  // The arguments of a question are the question.
  const asks = (request.questions ?? []).length > 0;
  if (request.toolArguments !== undefined && !asks) parts.push(argumentsOf(request.toolArguments));
  return parts;
}

function argumentsOf(toolArguments: unknown): HTMLElement {
  const code = element("pre", "code", visibleJson(toolArguments));
  code.tabIndex = 0;
  code.setAttribute("aria-label", "Arguments");
  return code;
}
