/** The agents to choose from, as cards: those that are ready can be taken, the others say what they need. */
import type { AgentInfo, CliType } from "../contract";
import { copyText, say } from "../dom/copyable";
import { arrange, button, element, setText } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { type AgentCardModel, agentCards, chosenAgent } from "./agent-choice";

export type AgentCardsActions = { chosen(cliType: CliType | undefined): void; lookAgain(): void };

type Card = {
  root: HTMLElement;
  radio: HTMLInputElement;
  version: HTMLElement;
  state: HTMLElement;
  drawn: string;
};

export class AgentCards {
  readonly root = element("fieldset", "agents");
  private readonly list = element("div", "agent-cards");
  private readonly again: HTMLButtonElement;
  private readonly note = element("p", "field-note", "Looking for agents…");
  private readonly cards = new Map<CliType, Card>();

  constructor(private readonly actions: AgentCardsActions) {
    this.again = button("Look again", "quiet", () => this.lookAgain());
    this.again.hidden = true;
    const head = element("div", "agents-head", element("legend", "field-label", "Agent"), this.again);
    this.root.append(head, this.note, this.list);
  }

  get value(): CliType | undefined {
    return [...this.cards].find(([, { radio }]) => radio.checked)?.[0];
  }

  show(agents: AgentInfo[]): void {
    const models = agentCards(agents);
    const chosen = chosenAgent(models, this.value);
    for (const cliType of this.cards.keys())
      if (!models.some((model) => model.cliType === cliType)) this.cards.delete(cliType);
    arrange(
      this.list,
      models.map((model) => this.draw(model, model.cliType === chosen)),
    );
    this.again.disabled = false;
    this.again.hidden = models.every(({ available }) => available);
    this.note.hidden = models.length > 0 && chosen !== undefined;
    setText(this.note, "No agent is ready yet. Install one, then look again.");
    this.actions.chosen(chosen);
  }

  /** It is not known which there are; those that were found before can still be taken. */
  failed(): void {
    this.again.disabled = false;
    this.again.hidden = false;
    this.note.hidden = false;
    setText(this.note, "Could not find out which agents there are. Look again.");
  }

  private lookAgain(): void {
    this.again.disabled = true;
    this.actions.lookAgain();
  }

  private draw(model: AgentCardModel, isChosen: boolean): HTMLElement {
    const card = this.cards.get(model.cliType) ?? this.add(model);
    card.radio.disabled = !model.available;
    card.radio.checked = isChosen;
    card.root.dataset.ready = String(model.available);
    setText(card.version, model.version ?? "");
    this.drawState(card, model);
    return card.root;
  }

  private drawState(card: Card, model: AgentCardModel): void {
    const key = JSON.stringify([model.state, model.hint]);
    if (key === card.drawn) return;
    card.drawn = key;
    const parts: HTMLElement[] = [element("p", "agent-state", visibleLine(model.state))];
    if (model.command !== undefined) parts.push(commandLine(model.name, model.command));
    if (model.hint !== undefined) parts.push(hintLine(model.hint));
    card.state.replaceChildren(...parts);
  }

  private add({ cliType, name }: AgentCardModel): Card {
    const radio = element("input", "agent-radio");
    radio.type = "radio";
    radio.name = "agent";
    radio.value = cliType;
    radio.addEventListener("change", () => this.actions.chosen(cliType));
    const version = element("span", "agent-version");
    const title = element("span", "agent-name", visibleLine(name));
    const label = element("label", "agent-label", radio, title, version);
    const state = element("div", "agent-about");
    const root = element("div", "agent-card", label, state);
    root.dataset.agent = cliType;
    const card = { root, radio, version, state, drawn: "" };
    this.cards.set(cliType, card);
    return card;
  }
}

function hintLine(hint: string): HTMLElement {
  const parts = hint.split("`").map((part, at) => (at % 2 === 1 ? element("code", "", part) : part));
  return element("p", "agent-hint", ...parts, ".");
}

function commandLine(name: string, command: string): HTMLElement {
  const copy = button("Copy", "quiet", () => void copyText(command).then((said) => say(copy, said)));
  copy.setAttribute("aria-label", `Copy the command that installs ${name}`);
  return element("div", "agent-command", element("code", "", command), copy);
}
