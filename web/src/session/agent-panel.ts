/** The agent of the open session: whether it is there, what it does beside the conversation, ending it and bringing it back. */
import { AgentBanner } from "../agent/agent-banner";
import { agentNote } from "../agent/agent-words";
import { allowedWords, takeBack } from "../agent/allowed-always";
import { BackgroundTasks } from "../agent/background-tasks";
import { askOnceMore } from "../ask-once-more";
import type { AgentConnection, CliType, ServerFrame, SessionId, TaskId, TurnEvent } from "../contract";
import { button, element, setText } from "../dom/dom";
import { endAgent, startAgent, stopTask } from "../server/api";
import type { OpenTalk, Scene } from "./talk-model";

export type AgentState = {
  isAlive: boolean;
  /** How the last turn of the timeline ended. */
  lastEnd: TurnEvent | undefined;
};

const ENDING = [
  "It is stopped with everything it started, also what it does right now.",
  "The conversation stays. Your next message starts the agent again.",
];

export class AgentPanel {
  private readonly endButton = button("End agent", "link-button", () => this.askToEnd());
  private readonly allowedButton = button("", "link-button", () => this.showAllowed());
  /** What stands beside the composer's hint. */
  readonly aside = element("span", "composer-aside", this.allowedButton, this.endButton);
  private readonly banner = new AgentBanner(() => this.resume());
  private readonly tasks = new BackgroundTasks((taskId) => this.stopTask(taskId));
  private readonly connections = new Map<CliType, AgentConnection>();
  private readonly resuming = new Set<SessionId>();

  constructor(private readonly scene: Scene) {
    this.endButton.title = "End the agent and everything it started (Alt+X)";
    this.allowedButton.title = "What the agent may do without asking (Alt+Shift+Y)";
  }

  get roots(): HTMLElement[] {
    return [this.banner.root, this.tasks.root];
  }

  received(frame: ServerFrame): void {
    if (frame.type === "agent:status") this.connections.set(frame.cliType, frame.status);
    if (frame.type === "session:status" && frame.isAlive) this.resuming.delete(frame.sessionId);
  }

  render({ session, status, isLive }: OpenTalk, { isAlive, lastEnd }: AgentState): void {
    const connection = this.connections.get(session.cliType);
    const isResuming = this.resuming.has(session.sessionId);
    this.banner.render(agentNote({ session, status, connection, lastEnd, isResuming }), isLive);
    this.tasks.render(status?.backgroundTasks ?? [], isLive);
    this.endButton.hidden = !isAlive;
    this.endButton.disabled = !isLive;
    const { allowed = [] } = status ?? {};
    this.allowedButton.hidden = allowed.length === 0;
    this.allowedButton.disabled = !isLive;
    setText(this.allowedButton, allowedWords(allowed));
  }

  /** Whether the agent may do something without asking. */
  get hasAllowed(): boolean {
    return !this.allowedButton.hidden && !this.allowedButton.disabled;
  }

  showAllowed(): void {
    const { open } = this.scene;
    if (!open?.status) return;
    askOnceMore(takeBack(open.status.allowed, () => this.end(open.session.sessionId)));
  }

  askToEnd(): void {
    const { open } = this.scene;
    if (!open) return;
    const run = () => this.end(open.session.sessionId);
    askOnceMore({ title: "End the agent?", text: ENDING, verb: "End agent", run });
  }

  private end(sessionId: SessionId): void {
    void this.scene.attempt(endAgent(sessionId));
  }

  resume(): void {
    const { sessionId } = this.scene.open?.session ?? {};
    if (sessionId === undefined || this.resuming.has(sessionId)) return;
    this.resuming.add(sessionId);
    this.scene.changed();
    const done = () => {
      this.resuming.delete(sessionId);
      this.scene.changed();
    };
    void this.scene.attempt(startAgent(sessionId).then(done), done);
  }

  private stopTask(taskId: TaskId): void {
    const { sessionId } = this.scene.open?.session ?? {};
    if (sessionId === undefined) return;
    void this.scene.attempt(stopTask(sessionId, taskId), () => this.tasks.stillRuns(taskId));
  }
}
