/** What the view shows while no session is open. */
import { copyable } from "../dom/copyable";
import { element, setText } from "../dom/dom";
import { UNDER_NOTES } from "../shell/room-for-notes";
import { type Command, claudeCommands, externalCommands } from "./first-commands";
import type { NewSessionForm } from "./new-session-form";

export class EmptyState {
  readonly root = element("div", `empty ${UNDER_NOTES}`);
  private readonly title = element("h2", "panel-title");
  private readonly intro = element("p", "");
  private readonly shell = fromShell(location.origin);
  private readonly panel = element("div", "empty-panel");

  constructor(form: NewSessionForm) {
    this.panel.append(this.title, this.intro, form.root, this.shell);
    this.root.append(this.panel);
  }

  render(hasSessions: boolean): void {
    this.panel.dataset.panel = hasSessions ? "new" : "empty";
    setText(this.title, hasSessions ? "New session" : "No sessions yet");
    setText(this.intro, hasSessions ? AGAIN : FIRST);
    this.shell.hidden = hasSessions;
  }
}

const FIRST =
  "A session is one conversation with a coding agent in one directory. The demo agent needs no account and no network.";
const AGAIN = "Choose who works where, and say what to do.";

/** The same by commands, for those who write programs. */
function fromShell(origin: string): HTMLElement {
  return element(
    "section",
    "empty-shell",
    element("h3", "empty-subtitle", "From a shell"),
    element(
      "p",
      "",
      "Sessions that programs create appear here the moment they are created. With ",
      element("strong", "", "Claude Code"),
      ", which must be installed and logged in (run ",
      element("code", "", "claude"),
      " once in a terminal), three steps:",
    ),
    commandSteps("claude", claudeCommands(origin)),
    element(
      "p",
      "",
      "Without any agent: an ",
      element("em", "", "external session"),
      " shows whatever a program of yours sends to it.",
    ),
    commandSteps("external", externalCommands(origin)),
  );
}

function commandSteps(kind: string, commands: Command[]): HTMLElement {
  const list = element("ol", "steps");
  list.dataset.steps = kind;
  for (const { title, command } of commands) {
    list.append(element("li", "", copyable(title, command)));
  }
  return list;
}
