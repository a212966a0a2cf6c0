/** Starts a session: which agent, and where. */

import type { AgentInfo, CreateSessionRequest } from "../contract";
import { button, element, setText } from "../dom/dom";
import { agentChoices, chosenAgent, missingAgents } from "./agent-choice";

export type NewSessionActions = {
  start(request: CreateSessionRequest): void;
  /** Looks again which agents there are. */
  lookAgain(): void;
  directories(written: string): Promise<string[]>;
};

/** Who types fast is not answered in between. */
const TYPING_MS = 150;

export class NewSessionForm {
  readonly root = element("form", "new-session");
  private readonly agent = element("select", "field-input");
  private readonly directory = element("input", "field-input");
  private readonly offered = element("datalist", "");
  private readonly startButton = element("button", "button primary", "Start");
  private readonly missing = element("ul", "missing-agents");
  private readonly again: HTMLButtonElement;
  private readonly problem = element("p", "alert");
  private typing: ReturnType<typeof setTimeout> | undefined;
  private agentChosen = false;
  /** Until a place was offered, a click on Start would ask for one that is about to appear. */
  private directoryOffered = false;
  private starting = false;

  constructor(private readonly actions: NewSessionActions) {
    this.again = button("Look again", "quiet", () => this.lookAgain());
    this.offered.id = "directories";
    this.directory.setAttribute("list", this.offered.id);
    this.directory.required = true;
    this.directory.spellcheck = false;
    this.directory.autocomplete = "off";
    this.directory.placeholder = "/path/to/project";
    this.problem.role = "alert";
    this.problem.hidden = true;
    this.root.setAttribute("aria-label", "New session");
    this.root.append(
      field("Agent", "field agent-field", this.agent),
      field("Project directory", "field directory-field", this.directory),
      this.startButton,
      this.offered,
      this.problem,
      element("div", "missing", this.missing, this.again),
    );
    this.root.addEventListener("submit", (event) => this.submitted(event));
    this.directory.addEventListener("input", () => this.typed());
    this.looking();
  }

  /** The agents as they were found. */
  showAgents(agents: AgentInfo[]): void {
    const choices = agentChoices(agents);
    const chosen = chosenAgent(choices, this.agent.value || undefined);
    this.agent.replaceChildren(
      ...choices.map(({ cliType, label, available }) => option(cliType, label, available)),
    );
    if (chosen !== undefined) this.agent.value = chosen;
    this.agentChosen = chosen !== undefined;
    this.drawStart();
    const missing = missingAgents(agents).map(({ name, problem, hint }) =>
      element(
        "li",
        "",
        element("strong", "", name),
        `: ${problem}.`,
        ...(hint === undefined ? [] : hintParts(hint)),
      ),
    );
    this.missing.replaceChildren(...missing);
    this.again.disabled = false;
    this.again.hidden = missing.length === 0;
  }

  /** A place to begin, unless one was written already; undefined when there is none to offer. */
  suggestDirectory(path: string | undefined): void {
    if (this.directory.value === "" && path !== undefined) this.directory.value = path;
    this.directoryOffered = true;
    this.drawStart();
  }

  /** The place that someone chose elsewhere on the page. */
  chooseDirectory(path: string): void {
    this.directory.value = path;
    this.suggestDirectory(path);
  }

  /** The session could not be started: it can be tried again. */
  refused(reason: string): void {
    setText(this.problem, reason);
    this.problem.hidden = false;
    this.started();
  }

  started(): void {
    this.starting = false;
    this.drawStart();
  }

  private looking(): void {
    this.agent.replaceChildren(option("", "Looking for agents…", true));
    this.drawStart();
    this.again.hidden = true;
  }

  private lookAgain(): void {
    this.again.disabled = true;
    this.actions.lookAgain();
  }

  private submitted(event: Event): void {
    event.preventDefault();
    this.problem.hidden = true;
    this.starting = true;
    this.drawStart();
    this.actions.start({ cliType: this.agent.value, projectDir: this.directory.value.trim() });
  }

  private drawStart(): void {
    this.startButton.disabled = this.starting || !this.agentChosen || !this.directoryOffered;
    setText(this.startButton, this.starting ? "Starting" : "Start");
  }

  private typed(): void {
    this.directoryOffered = true;
    this.drawStart();
    clearTimeout(this.typing);
    this.typing = setTimeout(() => void this.offerDirectories(), TYPING_MS);
  }

  private async offerDirectories(): Promise<void> {
    const written = this.directory.value;
    const found = await this.actions.directories(written);
    // What was typed meanwhile has an answer of its own.
    if (written !== this.directory.value) return;
    this.offered.replaceChildren(...found.map((path) => option(path, path, true)));
  }
}

function field(label: string, className: string, input: HTMLElement): HTMLElement {
  return element("label", className, element("span", "field-label", label), input);
}

function option(value: string, label: string, enabled: boolean): HTMLOptionElement {
  const made = element("option", "", label);
  made.value = value;
  made.disabled = !enabled;
  return made;
}

/** Hints name commands in backquotes, or begin with one. */
function hintParts(hint: string): (string | HTMLElement)[] {
  const parts = hint.split("`").map((part, at) => (at % 2 === 1 ? element("code", "", part) : part));
  return [" What to do: ", ...parts, "."];
}
