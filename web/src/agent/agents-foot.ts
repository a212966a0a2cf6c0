/** How it stands with the agents, at the foot of the list: leads to where they are told one by one, and asks again for those away. */
import type { Command } from "../commands/commands";
import type { AgentConnection, AgentInfo, CliType, ServerFrame } from "../contract";
import { arrange, button, element, setText } from "../dom/dom";
import { NEW_SESSION } from "../route";
import { visibleName } from "../text/visible-text";
import { agentsLine } from "./agents-line";

export class AgentsFoot {
  readonly root = element("div", "agents-foot");
  private readonly line = element("a", "agents-line");
  private readonly rows = new Map<CliType, HTMLElement>();
  private readonly connections = new Map<CliType, AgentConnection>();
  private agents: readonly AgentInfo[] = [];

  /** `reconnect` finds out whether an agent can be run again. */
  constructor(private readonly reconnect: (cliType: CliType) => void) {
    this.line.href = NEW_SESSION;
    this.line.title = "Which agents can be run, and what the others need";
    this.draw();
  }

  show(agents: readonly AgentInfo[]): void {
    this.agents = agents;
    this.draw();
  }

  received(frame: ServerFrame): void {
    if (frame.type !== "agent:status") return;
    this.connections.set(frame.cliType, frame.status);
    this.draw();
  }

  get commands(): Command[] {
    const away = () => agentsLine(this.agents, this.connections)?.away ?? [];
    return [
      {
        id: "agents.reconnect",
        title: "Reconnect agents",
        group: "Sessions",
        keys: ["Alt+Shift+C"],
        isAvailable: () => away().length > 0,
        run: () => {
          for (const { cliType } of away()) this.reconnect(cliType);
        },
      },
    ];
  }

  /** Before anything is known of them it is only its room, so that nothing moves when it is. */
  private draw(): void {
    const model = agentsLine(this.agents, this.connections);
    this.root.dataset.awaited = String(model === undefined);
    if (!model) return arrange(this.root, [this.line]);
    setText(this.line, model.text);
    this.line.dataset.kind = model.kind;
    const kept = new Set(model.away.map(({ cliType }) => cliType));
    for (const cliType of this.rows.keys()) if (!kept.has(cliType)) this.rows.delete(cliType);
    arrange(this.root, [...model.away.map(({ cliType, name }) => this.row(cliType, name)), this.line]);
  }

  private row(cliType: CliType, name: string): HTMLElement {
    const known = this.rows.get(cliType);
    if (known) return known;
    const again = button("Reconnect", "quiet", () => this.reconnect(cliType));
    again.ariaLabel = `Reconnect ${visibleName(name)}`;
    const made = element(
      "div",
      "agent-away",
      element("span", "agent-away-name", `${visibleName(name)} is away`),
      again,
    );
    made.title = `The last agent of ${visibleName(name)} ended by itself or did not come up`;
    this.rows.set(cliType, made);
    return made;
  }
}
