/** The questions of a permission request, each with its answers to choose from and room for one's own. */
import type { Question } from "../contract";
import { element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import type { Answers } from "./answer-lines";

type Field = { question: string; root: HTMLElement; inputs: HTMLInputElement[]; own: HTMLInputElement };

export class QuestionForm {
  private readonly fields: Field[];

  constructor(
    questions: Question[],
    private readonly name: string,
    changed: () => void,
  ) {
    this.fields = questions.map((question, at) => this.field(question, at));
    for (const { root } of this.fields) root.addEventListener("input", changed);
  }

  get roots(): HTMLElement[] {
    return this.fields.map(({ root }) => root);
  }

  /** Whether every question has an answer. */
  get isAnswered(): boolean {
    return this.fields.every((field) => answerOf(field).length > 0);
  }

  /** Per question the labels chosen and what was written; absent when nothing was asked. */
  answers(): Answers | undefined {
    if (this.fields.length === 0) return undefined;
    return Object.fromEntries(this.fields.map((field) => [field.question, answerOf(field)]));
  }

  private field(question: Question, at: number): Field {
    const type = question.multiSelect ? "checkbox" : "radio";
    const inputs = question.options.map(({ label }) => choice(type, `${this.name}-${at}`, label));
    const own = element("input", "choice-own");
    own.type = "text";
    own.placeholder = "Something else";
    own.setAttribute("aria-label", `Something else: ${visibleLine(question.question)}`);
    // Of answers that exclude each other, the one written last is meant.
    if (!question.multiSelect) excludeEachOther(inputs, own);
    const header =
      question.header === undefined ? [] : [element("span", "badge", visibleLine(question.header))];
    const legend = element("legend", "", ...header, visibleLine(question.question));
    const labels = question.options.map((option, index) =>
      labelled(inputs[index] as HTMLInputElement, option),
    );
    const root = element("fieldset", "question", legend, ...labels, own);
    return { question: question.question, root, inputs, own };
  }
}

function choice(type: "checkbox" | "radio", name: string, value: string): HTMLInputElement {
  const input = element("input");
  Object.assign(input, { type, name, value });
  return input;
}

function labelled(input: HTMLInputElement, { label, description }: Question["options"][number]): HTMLElement {
  const note = description === undefined ? [] : [element("span", "choice-note", visibleLine(description))];
  return element("label", "choice", input, element("span", "", visibleLine(label)), ...note);
}

function excludeEachOther(inputs: HTMLInputElement[], own: HTMLInputElement): void {
  own.addEventListener("input", () => {
    if (own.value.trim() !== "") for (const input of inputs) input.checked = false;
  });
  for (const input of inputs) {
    input.addEventListener("input", () => {
      own.value = "";
    });
  }
}

function answerOf({ inputs, own }: Field): string[] {
  const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
  const written = own.value.trim();
  return written === "" ? chosen : [...chosen, written];
}
