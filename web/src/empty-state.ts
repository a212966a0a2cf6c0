/** What the view shows while no session is open. */
import { copyable } from "./copyable";
import { element } from "./dom";
import { type Command, claudeCommands, externalCommands } from "./first-commands";

export class EmptyState {
  readonly root = element("div", "empty");
  private readonly none = noSessions(location.origin);
  private readonly choose = element("p", "empty-choose", "Choose a session to read along.");

  constructor() {
    this.root.append(this.none, this.choose);
  }

  render(hasSessions: boolean): void {
    this.none.hidden = hasSessions;
    this.choose.hidden = !hasSessions;
  }
}

function noSessions(origin: string): HTMLElement {
  const panel = element(
    "div",
    "empty-panel",
    element("h2", "panel-title", "No sessions yet"),
    element(
      "p",
      "",
      "A session is one conversation with a coding agent. It appears here the moment it is created, and what the agent writes shows up as it writes.",
    ),
    element(
      "p",
      "",
      "Start one with ",
      element("strong", "", "Claude Code"),
      ", which must be installed and logged in (run ",
      element("code", "", "claude"),
      " once in a terminal). Three steps in a shell:",
    ),
    commandSteps("claude", claudeCommands(origin)),
    element(
      "p",
      "",
      "You can also try this page without an agent: an ",
      element("em", "", "external session"),
      " shows whatever a program of yours sends to it.",
    ),
    commandSteps("external", externalCommands(origin)),
  );
  panel.dataset.panel = "empty";
  return panel;
}

function commandSteps(kind: string, commands: Command[]): HTMLElement {
  const list = element("ol", "steps");
  list.dataset.steps = kind;
  for (const { title, command } of commands) {
    list.append(element("li", "", copyable(title, command)));
  }
  return list;
}
