/** What the agent means to do, step by step: where it stands in one line, and all steps when opened. */
import type { PlanEntry } from "../contract";
import { element, setText } from "../dom/dom";
import { lexInline } from "../markdown/block-lexer";
import { inlineNodes } from "../markdown/inline-view";
import { preference } from "../preferences/likes";
import { visibleLine } from "../text/visible-text";
import { currentStep, planDone, planProgress, planShare, type StepState, stepState } from "./plan-text";

const WORDS: Record<StepState, string> = { pending: "to do", in_progress: "in progress", completed: "done" };

const likesOpen = preference("plan-open", true);

export class PlanPanel {
  readonly root = element("details", "plan");
  private readonly progress = element("span", "plan-progress");
  private readonly bar = element("span", "plan-bar");
  private readonly current = element("span", "fold-hint");
  private readonly steps = element("ol", "plan-steps");
  private readonly summary = element("summary", "fold-summary");
  private entries: PlanEntry[] = [];
  /** Whether all of it was done when its turn ended: then it has said all it had to say. */
  private isOver = false;

  constructor() {
    this.bar.setAttribute("aria-hidden", "true");
    this.summary.append(element("span", "fold-name", "Plan"), this.current, this.progress, this.bar);
    // Whoever opens or closes it likes all plans so.
    this.summary.addEventListener("click", () => likesOpen.set(!this.root.open));
    this.root.append(this.summary, this.steps);
    this.root.setAttribute("aria-label", "Plan");
    this.show([]);
  }

  show(entries: PlanEntry[]): void {
    const isAnother = this.entries.length === 0;
    this.entries = entries;
    this.isOver = false;
    this.root.hidden = entries.length === 0;
    if (isAnother) this.root.open = likesOpen.get();
    this.bar.style.setProperty("--done", String(planShare(entries)));
    setText(this.progress, planProgress(entries));
    setText(this.current, visibleLine(currentStep(entries)));
    while (this.steps.childElementCount > entries.length) this.steps.lastElementChild?.remove();
    entries.forEach((entry, at) => {
      this.drawStep(entry, this.steps.children[at] ?? this.addStep());
    });
  }

  /** Whether a turn runs. A plan that is done goes with its turn; one that is not stays, to tell what was left. */
  follow(runs: boolean): void {
    if (!runs && planDone(this.entries)) this.isOver = true;
    this.root.hidden = this.isOver || this.entries.length === 0;
  }

  private addStep(): Element {
    const made = element("li", "plan-step", element("span", "plan-mark"), element("span", "plan-content"));
    this.steps.append(made);
    return made;
  }

  private drawContent(content: Element, text: string): void {
    if (content.getAttribute("data-source") === text) return;
    content.setAttribute("data-source", text);
    content.replaceChildren(...inlineNodes(lexInline(text)));
  }

  private drawStep(entry: PlanEntry, step: Element): void {
    const state = stepState(entry);
    step.setAttribute("data-state", state);
    const [mark, content] = step.children;
    // The mark is a shape; its word is for those who do not see it.
    mark?.setAttribute("role", "img");
    mark?.setAttribute("aria-label", WORDS[state]);
    if (content) this.drawContent(content, visibleLine(entry.content));
  }
}
