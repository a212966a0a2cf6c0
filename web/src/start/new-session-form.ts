/** Starts a session: which agent, where, how much it may do, and what it is told first. */

import { modeChoices, modelChoices } from "../agent/choices";
import type { KeptTexts } from "../compose/kept-text";
import { isSendKey } from "../compose/send-key";
import type { AgentInfo, CliType, CreateSessionRequest, Project } from "../contract";
import { button, element, setText } from "../dom/dom";
import { Picker } from "../dom/picker";
import { AgentCards } from "./agent-cards";
import { DirectoryField } from "./directory-field";
import { suggestionsFor } from "./suggestions";

export type NewSessionActions = {
  /** The first prompt is empty where nothing was written. */
  start(request: CreateSessionRequest, firstPrompt: string): void;
  /** Looks again which agents there are. */
  lookAgain(): void;
  directories(written: string): Promise<string[]>;
};

/** What was written for a session that is not there yet is kept like a draft. */
const DRAFT = "new";

export class NewSessionForm {
  readonly root = element("form", "new-session");
  private readonly agents: AgentCards;
  private readonly directory: DirectoryField;
  private readonly prompt = element("textarea", "field-input prompt-input");
  private readonly ideas = element("div", "prompt-ideas");
  private readonly mode: Picker;
  private readonly model: Picker;
  private readonly warning = element("p", "mode-warning");
  private readonly startButton = element("button", "button primary", "Start");
  private readonly problem = element("p", "alert");
  private infos: AgentInfo[] = [];
  private chosen: { agent?: CliType; mode?: string; model?: string } = {};
  /** Until a place was offered, a click on Start would ask for one that is about to appear. */
  private directoryOffered = false;
  private starting = false;

  constructor(
    private readonly actions: NewSessionActions,
    private readonly drafts: KeptTexts,
  ) {
    this.agents = new AgentCards({
      chosen: (agent) => this.agentChosen(agent),
      lookAgain: () => actions.lookAgain(),
    });
    this.directory = new DirectoryField({
      directories: (written) => actions.directories(written),
      changed: () => this.placeWritten(),
    });
    this.mode = new Picker("Mode", (mode) => this.choose({ mode }));
    this.model = new Picker("Model", (model) => this.choose({ model }));
    this.problem.role = "alert";
    this.problem.hidden = true;
    this.root.setAttribute("aria-label", "New session");
    const last = element("div", "new-session-last", this.mode.root, this.model.root, this.startButton);
    this.root.append(
      this.agents.root,
      this.directory.root,
      this.promptField(),
      this.warning,
      this.problem,
      last,
    );
    this.root.addEventListener("submit", (event) => this.submitted(event));
    this.drawChoices();
  }

  /** The agents as they were found. */
  showAgents(agents: AgentInfo[]): void {
    this.infos = agents;
    this.agents.show(agents);
  }

  agentsFailed(): void {
    this.agents.failed();
  }

  /** Projects, the last used first; undefined when they are not known. A place to begin is offered, unless one was written. */
  async showPlaces(recent: Project[] | undefined): Promise<void> {
    if (recent) this.directory.showRecent(recent);
    // The project that was used last, or for a newcomer where projects may be.
    this.directory.suggest(recent?.[0]?.path ?? (await this.actions.directories(""))[0]);
    this.placeWritten();
  }

  /** The place that someone chose elsewhere on the page. */
  chooseDirectory(path: string): void {
    this.directory.choose(path);
    this.placeWritten();
  }

  focus(): void {
    this.prompt.focus();
  }

  /** The session could not be started: it can be tried again, with all that was written. */
  refused(reason: string): void {
    setText(this.problem, reason);
    this.problem.hidden = false;
    this.problem.scrollIntoView({ block: "nearest" });
    this.starting = false;
    this.drawStart();
  }

  /** It was started with this prompt; what was written since stays. */
  started(prompt: string): void {
    this.starting = false;
    if (this.prompt.value === prompt) this.writePrompt("");
    this.chosen = { ...(this.chosen.agent !== undefined && { agent: this.chosen.agent }) };
    this.drawChoices();
  }

  private promptField(): HTMLElement {
    this.prompt.rows = 3;
    this.prompt.id = "first-prompt";
    this.prompt.placeholder = "What shall it do?";
    this.prompt.value = this.drafts.get(DRAFT) ?? "";
    this.drafts.follow((name) => {
      if (name === DRAFT) this.prompt.value = this.drafts.get(DRAFT) ?? "";
    });
    this.prompt.addEventListener("input", () => this.writePrompt(this.prompt.value));
    this.prompt.addEventListener("keydown", (event) => {
      if (!isSendKey(event)) return;
      event.preventDefault();
      if (!this.startButton.disabled) this.root.requestSubmit();
    });
    const label = element("label", "field-label", "First prompt");
    label.htmlFor = this.prompt.id;
    label.append(element("span", "field-optional", "optional"));
    return element("div", "field prompt-field", label, this.prompt, this.ideas);
  }

  private writePrompt(text: string): void {
    if (this.prompt.value !== text) this.prompt.value = text;
    if (text === "") this.drafts.delete(DRAFT);
    else this.drafts.set(DRAFT, text);
  }

  private agentChosen(agent: CliType | undefined): void {
    // Modes and models belong to their agent.
    if (agent !== this.chosen.agent) this.chosen = { ...(agent !== undefined && { agent }) };
    this.drawIdeas(agent);
    this.drawChoices();
  }

  private drawIdeas(agent: CliType | undefined): void {
    const ideas = suggestionsFor(agent).map((text) =>
      button(text, "idea", () => {
        this.writePrompt(text);
        this.prompt.focus();
      }),
    );
    this.ideas.replaceChildren(...(ideas.length > 0 ? [element("span", "idea-label", "Try")] : []), ...ideas);
    this.ideas.hidden = ideas.length === 0;
  }

  private choose(choice: { mode?: string; model?: string }): void {
    this.chosen = { ...this.chosen, ...choice };
    this.drawChoices();
  }

  private drawChoices(): void {
    const info = this.infos.find(({ cliType }) => cliType === this.chosen.agent);
    const modes = modeChoices(info?.modes ?? [], this.chosen.mode);
    this.mode.show(modes, "The agent's own");
    this.model.show(modelChoices(info?.models ?? [], this.chosen.model), "The agent's own");
    const risky = modes.find(({ isCurrent, isRisky }) => isCurrent && isRisky);
    this.warning.hidden = risky === undefined;
    setText(
      this.warning,
      risky === undefined
        ? ""
        : `${risky.name}: the agent will never ask. It can change and run anything you can.`,
    );
    this.drawStart();
  }

  private placeWritten(): void {
    this.directoryOffered = true;
    this.drawStart();
  }

  private submitted(event: Event): void {
    event.preventDefault();
    const { agent, mode, model } = this.chosen;
    if (agent === undefined) return;
    this.problem.hidden = true;
    this.starting = true;
    this.drawStart();
    const chosen = {
      ...(mode !== undefined && { modeId: mode }),
      ...(model !== undefined && { modelId: model }),
    };
    this.actions.start({ cliType: agent, projectDir: this.directory.value, ...chosen }, this.prompt.value);
  }

  private drawStart(): void {
    // What is typed now would be part of nothing.
    this.prompt.readOnly = this.starting;
    this.startButton.disabled = this.starting || this.chosen.agent === undefined || !this.directoryOffered;
    setText(this.startButton, this.starting ? "Starting" : "Start");
  }
}
