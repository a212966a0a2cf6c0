import { expect, test } from "vitest";
import { currentStep, planDone, planProgress, stepState } from "../src/session/plan-text";

const step = (content: string, status: string) => ({ content, status });

test("a plan tells how far it is and what is being done", () => {
  const plan = [step("look", "completed"), step("change", "in_progress"), step("test", "pending")];
  expect(planProgress(plan)).toBe("1 of 3 done");
  expect(currentStep(plan)).toBe("change");
  expect(planDone(plan)).toBe(false);
  const done = plan.map(({ content }) => step(content, "completed"));
  expect([planProgress(done), currentStep(done), planDone(done)]).toEqual(["3 of 3 done", "", true]);
});

test("a status that is not known has not begun", () => {
  expect(stepState(step("x", "postponed"))).toBe("pending");
});
