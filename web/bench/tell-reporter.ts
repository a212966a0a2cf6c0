/** Prints what the measurements tell, and what kept one of them from telling it. */
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

/** A failed comparison of texts says all of them. */
const LONGEST = 2_000;

export default class TellReporter implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    for (const { type, description } of test.annotations)
      if (type === "told") process.stdout.write(`${description}\n`);
    for (const { message = "" } of result.errors)
      process.stderr.write(`${test.title}: ${message.slice(0, LONGEST)}\n`);
  }

  printsToStdio(): boolean {
    return true;
  }
}
