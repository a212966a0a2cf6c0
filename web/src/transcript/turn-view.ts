/** The line that tells how a turn stands. */
import { element, setText } from "../dom/dom";
import type { Turn } from "../timeline/timeline";
import { turnFailure, turnState, turnText } from "./turn-text";

export class TurnView {
  readonly root = element("div", "turn");
  private readonly text = element("span", "turn-text");
  private readonly failure = element("p", "turn-failure");
  private readonly code = element("code", "item-ending-code");
  private readonly message = element("span", "");

  constructor(
    private turn: Turn,
    private asks: boolean,
  ) {
    this.root.dataset.turnId = turn.turnId;
    this.failure.append(this.code, this.message);
    this.root.append(element("p", "turn-line", this.text), this.failure);
    this.update(turn);
  }

  /** Whether the agent waits for an answer. */
  ask(asks: boolean): void {
    this.asks = asks;
    this.update(this.turn);
  }

  update(turn: Turn): void {
    this.turn = turn;
    const failure = turnFailure(turn);
    this.root.dataset.state = turnState(turn);
    this.root.dataset.asks = String(this.asks);
    setText(this.text, turnText(turn, this.asks));
    this.failure.hidden = failure === undefined;
    setText(this.code, failure?.code ?? "");
    setText(this.message, failure?.message ?? "");
  }
}
