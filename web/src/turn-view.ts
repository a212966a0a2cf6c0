/** The line that tells how a turn stands. */
import { element, setText } from "./dom";
import type { Turn } from "./timeline";
import { turnFailure, turnState, turnText } from "./turn-text";

export class TurnView {
  readonly root = element("div", "turn");
  private readonly text = element("span", "turn-text");
  private readonly failure = element("p", "turn-failure");
  private readonly code = element("code", "item-ending-code");
  private readonly message = element("span", "");

  constructor(turn: Turn) {
    this.root.dataset.turnId = turn.turnId;
    this.failure.append(this.code, this.message);
    this.root.append(element("p", "turn-line", this.text), this.failure);
    this.update(turn);
  }

  update(turn: Turn): void {
    const failure = turnFailure(turn);
    this.root.dataset.state = turnState(turn);
    setText(this.text, turnText(turn));
    this.failure.hidden = failure === undefined;
    setText(this.code, failure?.code ?? "");
    setText(this.message, failure?.message ?? "");
  }
}
