/** What the view shows while no session is open. */
import { copyable } from "./copyable";
import { element } from "./dom";
import { externalCommands } from "./external-commands";

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
      "You can try that without an agent: an ",
      element("em", "", "external session"),
      " shows whatever a program of yours sends to it. Three steps in a shell:",
    ),
    commandSteps(origin),
  );
  panel.dataset.panel = "empty";
  return panel;
}

function commandSteps(origin: string): HTMLElement {
  const list = element("ol", "steps");
  for (const { title, command } of externalCommands(origin)) {
    list.append(element("li", "", copyable(title, command)));
  }
  return list;
}
