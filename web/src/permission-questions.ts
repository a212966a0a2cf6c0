/** The questions of a permission request, with their answers to choose from. */
import type { Question } from "./contract";
import { element } from "./dom";
import { visibleLine } from "./visible-text";

export class QuestionForm {
  readonly roots: HTMLElement[];
  private readonly inputs = new Map<string, HTMLInputElement[]>();

  constructor(
    questions: Question[],
    private readonly name: string,
  ) {
    this.roots = questions.map((question, at) => this.fieldset(question, at));
  }

  /** Per question the labels chosen; absent when nothing was asked. */
  answers(): Record<string, string[]> | undefined {
    if (this.inputs.size === 0) return undefined;
    return Object.fromEntries([...this.inputs].map(([question, inputs]) => [question, chosen(inputs)]));
  }

  private fieldset(question: Question, at: number): HTMLElement {
    const choices = question.options.map(({ label, description }) => {
      const input = element("input");
      input.type = question.multiSelect ? "checkbox" : "radio";
      input.name = `${this.name}-${at}`;
      input.value = label;
      const note =
        description === undefined ? [] : [element("span", "choice-note", visibleLine(description))];
      return {
        input,
        root: element("label", "choice", input, element("span", "", visibleLine(label)), ...note),
      };
    });
    this.inputs.set(
      question.question,
      choices.map(({ input }) => input),
    );
    const legend = element("legend", "", visibleLine(question.question));
    return element("fieldset", "question", legend, ...choices.map(({ root }) => root));
  }
}

function chosen(inputs: HTMLInputElement[]): string[] {
  return inputs.filter((input) => input.checked).map((input) => input.value);
}
