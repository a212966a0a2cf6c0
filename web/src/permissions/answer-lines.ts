/** Answers to questions as one line each, to be read afterwards. Pure. */
export type Answers = Record<string, string[]>;

export function answerLines(answers: Answers): string[] {
  return Object.entries(answers).map(([question, given]) => `${question} ${given.join(", ")}`);
}
