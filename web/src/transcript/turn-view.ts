/** The line that tells how a turn stands, and what went wrong with it. */
import { element, setText } from "../dom/dom";
import { icon } from "../dom/icon";
import { showElapsed, stopElapsed } from "../dom/live-times";
import { visibleLine, visibleText } from "../text/visible-text";
import type { Turn } from "../timeline/timeline";
import { type Failure, turnFailure } from "./turn-failure";
import { exactUsage, turnFacts, turnState, turnWord } from "./turn-text";

export class TurnView {
  readonly root = element("div", "turn");
  private readonly line = element("p", "turn-line");
  private readonly word = element("span", "turn-word");
  private readonly elapsed = element("span", "turn-fact");
  private readonly facts = element("span", "turn-facts");
  private readonly failure = new FailureCard();

  constructor(
    private turn: Turn,
    private asks: boolean,
  ) {
    this.root.dataset.turnId = turn.turnId;
    this.line.append(element("span", "turn-text", this.word, this.elapsed, this.facts));
    this.root.append(this.line, this.failure.root);
    this.update(turn);
  }

  /** Whether the agent waits for an answer. */
  ask(asks: boolean): void {
    this.asks = asks;
    this.update(this.turn);
  }

  update(turn: Turn): void {
    this.turn = turn;
    const state = turnState(turn);
    this.root.dataset.state = state;
    this.root.dataset.asks = String(this.asks);
    setText(this.word, turnWord(turn, this.asks));
    this.drawElapsed(state === "running" ? turn.started?.at : undefined);
    const facts = turnFacts(turn);
    while (this.facts.childElementCount > facts.length) this.facts.lastElementChild?.remove();
    for (const [at, fact] of facts.entries()) {
      const shown = this.facts.children[at] ?? this.facts.appendChild(element("span", "turn-fact"));
      setText(shown, visibleLine(fact));
    }
    this.facts.title = exactUsage(turn);
    this.failure.show(turnFailure(turn));
  }

  private drawElapsed(since: string | undefined): void {
    this.elapsed.hidden = since === undefined;
    if (since !== undefined) showElapsed(this.elapsed, since);
    else stopElapsed(this.elapsed);
  }
}

class FailureCard {
  readonly root = element("div", "turn-failure");
  private readonly title = element("p", "turn-failure-title");
  private readonly message = element("p", "turn-failure-message");
  private readonly advice = element("p", "turn-failure-advice");
  private readonly code = element("code", "turn-failure-code");

  constructor() {
    const head = element("div", "turn-failure-head", this.title, this.code);
    this.root.append(icon("alert"), element("div", "turn-failure-words", head, this.message, this.advice));
    this.root.role = "group";
    this.root.setAttribute("aria-label", "Why the turn failed");
  }

  show(failure: Failure | undefined): void {
    this.root.hidden = failure === undefined;
    if (!failure) return;
    this.root.dataset.cut = String(failure.isCut);
    setText(this.title, failure.title);
    setText(this.message, visibleText(failure.message));
    this.message.hidden = failure.message === "";
    setText(this.advice, failure.advice);
    setText(this.code, visibleLine(failure.code));
  }
}
