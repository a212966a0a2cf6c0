/** The line of a tool call: what it does, what came of it, how it stands. */
import { element, setText } from "../dom/dom";
import { drawIcon, type IconName, icon } from "../dom/icon";
import { showElapsed, stopElapsed } from "../dom/live-times";
import { duration } from "../text/time-text";
import { visibleLine } from "../text/visible-text";
import type { Children } from "../timeline/children";
import { totalCounts } from "./diff-text";
import { exitCode } from "./exit-code";
import { lastStep, stepCount } from "./nested-text";
import { changesOf } from "./proposed-diff";
import { isSubagent, kindOf } from "./tool-kind";
import { type ToolItem, type ToolState, toolState } from "./tool-text";
import { pathsOf, toolWords } from "./tool-words";

const STATES: Record<ToolState, string> = {
  running: "running",
  done: "done",
  failed: "failed",
  stopped: "stopped",
};

export class ToolLine {
  readonly root = element("summary", "fold-summary tool-line");
  private readonly icon = icon("other");
  private readonly verb = element("span", "tool-verb");
  private readonly object = element("span", "tool-object");
  private readonly facts = element("span", "tool-facts");
  private readonly state = element("span", "tool-state");
  private readonly word = element("span", "tool-state-word");
  private readonly time = element("span", "tool-time");

  constructor() {
    this.state.append(this.word, " ", this.time);
    const words = element("span", "tool-words", this.verb, " ", this.object);
    this.root.append(this.icon, words, this.facts, this.state);
  }

  update(item: ToolItem, state: ToolState, children: Children): void {
    const kind = kindOf(item);
    drawIcon(this.icon, isSubagent(item) || children.length > 0 ? "agent" : (kind satisfies IconName));
    const { verb, object, isCode } = toolWords(item, state);
    setText(this.verb, visibleLine(verb));
    setText(this.object, visibleLine(object));
    this.object.classList.toggle("is-code", isCode);
    this.object.title = pathsOf(item).map(visibleLine).join("\n");
    this.drawFacts(item, state, children);
    setText(this.word, STATES[state]);
    this.drawTime(item, state, children);
  }

  private drawFacts(item: ToolItem, state: ToolState, children: Children): void {
    const changes = changesOf(item);
    const { added, removed } = totalCounts(changes ?? []);
    const facts = [
      { kind: "last", text: state === "running" ? lastStep(children) : "" },
      { kind: "steps", text: stepCount(children) },
      { kind: "added", text: changes ? `+${added}` : "" },
      { kind: "removed", text: changes ? `−${removed}` : "" },
      { kind: "exit", text: exitText(item) },
    ].filter(({ text }) => text !== "");
    while (this.facts.childElementCount > facts.length) this.facts.lastElementChild?.remove();
    for (const [at, { kind, text }] of facts.entries()) {
      const fact = this.facts.children[at] ?? this.facts.appendChild(element("span", "tool-fact"));
      fact.setAttribute("data-fact", kind);
      setText(fact, visibleLine(text));
    }
  }

  private drawTime(item: ToolItem, state: ToolState, children: Children): void {
    const since = item.startedAt ?? item.sourceTimestamp;
    if (state === "running") return showElapsed(this.time, since);
    stopElapsed(this.time);
    // A subagent that was only started by the call worked until its last step.
    const end = toolState(item) === "done" ? (children.last?.emittedAt ?? item.emittedAt) : item.emittedAt;
    setText(this.time, duration(since, end > item.emittedAt ? end : item.emittedAt) ?? "");
  }
}

function exitText(item: ToolItem): string {
  if (kindOf(item) !== "execute" || item.toolOutput === undefined) return "";
  const code = exitCode(item.toolOutput);
  return code === undefined || code === 0 ? "" : `exit ${code}`;
}
