/** How a person talks to the agent of the open session: what waits, what is being written, and stopping and bringing back. */

import { AgentBanner } from "../agent/agent-banner";
import { agentNote } from "../agent/agent-words";
import { BackgroundTasks } from "../agent/background-tasks";
import { modeChoices, modelChoices } from "../agent/choices";
import { OpenOptions } from "../agent/session-options";
import { AGAIN_MS, StopTwice } from "../agent/stop-twice";
import type { Commands } from "../commands/commands";
import { Composer } from "../compose/composer";
import { browserStore, KeptTexts, PROMPTS } from "../compose/kept-text";
import { PromptHistory } from "../compose/prompt-history";
import type {
  AgentConnection,
  AgentInfo,
  CliType,
  ServerFrame,
  SessionId,
  SessionListItem,
  SessionOptions,
  SessionStatus,
  TurnEvent,
} from "../contract";
import { ConfirmSheet } from "../dom/confirm-sheet";
import { button, element } from "../dom/dom";
import { Picker } from "../dom/picker";
import { queueActions } from "../queue/queue-actions";
import { tooLate } from "../queue/queue-entries";
import { QueuePanel } from "../queue/queue-panel";
import * as api from "../server/api";
import { MessageSender } from "../server/message-sender";
import type { Outbox, Outgoing } from "../server/outbox";
import { talkCommands } from "./talk-commands";

export type TalkContext = {
  commands: Commands;
  outbox: Outbox;
  drafts: KeptTexts;
  isLive(): boolean;
  bySocket(message: Outgoing, refused: (reason: string) => void): boolean;
  /** Prompts of the timeline, the oldest first. */
  prompts(): string[];
  /** How the last turn of the timeline ended. */
  lastEnd(): TurnEvent | undefined;
  problem(text: string): void;
  /** Something changed that is drawn. */
  changed(): void;
  loggedOut(): void;
};

export type TalkModel = {
  session: SessionListItem | undefined;
  status: SessionStatus | undefined;
  unsent: Outgoing[];
  isLive: boolean;
  isRemoved: boolean;
};

/** Sessions of this kind are fed by a program; there is nobody to write to. */
const EXTERNAL = "external";
const ENDING = [
  "It is stopped with everything it started, also what it does right now.",
  "The conversation stays. Your next message starts the agent again.",
];

export class Talk {
  readonly root = element("div", "dock");
  readonly composer: Composer;
  readonly sender: MessageSender;
  private readonly queue: QueuePanel;
  private readonly banner = new AgentBanner(() => this.resume());
  private readonly tasks = new BackgroundTasks((taskId) => this.stopTask(taskId));
  private readonly confirm = new ConfirmSheet();
  private readonly endButton = button("End agent", "link-button", () => this.askToEnd());
  private readonly mode = new Picker("Mode", (modeId) => this.adjust((id) => api.setMode(id, modeId)));
  private readonly model = new Picker("Model", (modelId) => this.adjust((id) => api.setModel(id, modelId)));
  private readonly options: OpenOptions;
  private readonly twice = new StopTwice();
  private readonly connections = new Map<CliType, AgentConnection>();
  private readonly resuming = new Set<SessionId>();
  private infos: AgentInfo[] = [];
  private shown: TalkModel | undefined;

  constructor(private readonly context: TalkContext) {
    const { outbox, drafts } = context;
    this.options = new OpenOptions(() => context.changed());
    this.sender = new MessageSender(outbox, {
      isLive: () => context.isLive(),
      bySocket: (message, refused) => context.bySocket(message, refused),
      refused: (clientMessageId, reason) => this.refused(clientMessageId, reason),
      changed: () => context.changed(),
    });
    this.composer = new Composer(
      {
        outbox,
        drafts,
        imageCounts: new KeptTexts("liminal-draft-images ", browserStore(), null),
        history: new PromptHistory(new KeptTexts(PROMPTS, browserStore())),
        tools: [this.mode.root, this.model.root],
        aside: this.endButton,
      },
      {
        send: () => this.sender.sendNew(),
        stop: () => this.stop(),
        prompts: () => context.prompts(),
        commands: (sessionId) => this.options.commands(sessionId),
        files: (sessionId, query) => api.projectFiles(sessionId, query).catch(() => []),
      },
    );
    this.queue = this.makeQueue();
    this.endButton.title = "End the agent and everything it started (Alt+X)";
    this.root.append(this.banner.root, this.tasks.root, this.queue.root, this.composer.root);
    context.commands.add(...talkCommands(this));
  }

  /** The agents as they were found. */
  showAgents(agents: AgentInfo[]): void {
    this.infos = agents;
    this.context.changed();
  }

  received(frame: ServerFrame): void {
    if (frame.type === "agent:status") this.connections.set(frame.cliType, frame.status);
    if (frame.type === "session:status" && frame.isAlive) this.resuming.delete(frame.sessionId);
  }

  render(model: TalkModel): void {
    this.shown = model;
    const { session, isRemoved } = model;
    this.root.hidden = !session || session.cliType === EXTERNAL || isRemoved;
    if (!session || this.root.hidden) {
      this.composer.hide();
      return this.queue.hide();
    }
    if (!this.isRunning) this.forgetStop();
    this.drawComposer(session, model);
    this.drawAgent(session, model);
    this.drawWaiting(session, model);
  }

  // What the commands do; each is also a button.

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  get isRunning(): boolean {
    const activity = this.isOpen ? this.shown?.session?.activity : undefined;
    return activity === "running" || activity === "permission";
  }

  get canResume(): boolean {
    return this.isOpen && this.shown?.session?.status === "dead";
  }

  get canEnd(): boolean {
    return this.isOpen && this.isAlive;
  }

  get hasQueue(): boolean {
    return this.isOpen && !this.queue.isEmpty;
  }

  get hasModes(): boolean {
    return this.isOpen && this.mode.isShown;
  }

  get hasModels(): boolean {
    return this.isOpen && this.model.isShown;
  }

  focusQueue(): void {
    this.queue.focus();
  }

  get hasQueuedInHand(): boolean {
    return this.hasQueue && this.queue.focused !== undefined;
  }

  moveQueued(step: -1 | 1): void {
    const { focused } = this.queue;
    if (focused !== undefined) this.queue.moveBy(focused, step);
  }

  chooseMode(): void {
    this.mode.open();
  }

  chooseModel(): void {
    this.model.open();
  }

  /** The first press says what the second one does. */
  stopTwice(): void {
    if (this.twice.pressed(Date.now())) return this.stop();
    this.composer.warn("Press Esc again to stop");
    setTimeout(() => {
      if (!this.twice.isArmed(Date.now())) this.composer.warn("");
    }, AGAIN_MS + 50);
  }

  stop(): void {
    this.forgetStop();
    const { session, status } = this.shown ?? {};
    if (!session || !this.isRunning) return;
    const { turnId } = status ?? {};
    const { sessionId } = session;
    this.composer.stopping(true);
    // What waited may run by then, and can be stopped too.
    const done = () => {
      if (sessionId === this.shown?.session?.sessionId) this.composer.stopping(false);
    };
    void this.attempt(api.cancelTurn(sessionId, turnId === undefined ? {} : { turnId }).then(done), done);
  }

  askToEnd(): void {
    const { session } = this.shown ?? {};
    if (!session) return;
    const run = () => void this.attempt(api.endAgent(session.sessionId));
    this.confirm.ask({ title: "End the agent?", text: ENDING, verb: "End agent", run });
  }

  resume(): void {
    const { session } = this.shown ?? {};
    if (!session || this.resuming.has(session.sessionId)) return;
    const { sessionId } = session;
    this.resuming.add(sessionId);
    this.context.changed();
    const done = () => {
      this.resuming.delete(sessionId);
      this.context.changed();
    };
    void this.attempt(api.startAgent(sessionId).then(done), done);
  }

  /** Of a session that nothing was told of since the connection began, what its agent offers tells that it runs. */
  private get isAlive(): boolean {
    const { session, status } = this.shown ?? {};
    if (!session) return false;
    const { modes, commands } = this.options.of(session.sessionId);
    return status?.isAlive ?? modes.length + commands.length > 0;
  }

  private drawAgent(session: SessionListItem, { status, isLive }: TalkModel): void {
    const connection = this.connections.get(session.cliType);
    const isResuming = this.resuming.has(session.sessionId);
    const lastEnd = this.context.lastEnd();
    this.banner.render(agentNote({ session, status, connection, lastEnd, isResuming }), isLive);
    this.tasks.render(status?.backgroundTasks ?? [], isLive);
    this.endButton.hidden = !this.isAlive;
    this.endButton.disabled = !isLive;
  }

  private drawWaiting({ sessionId }: SessionListItem, { status, unsent, isLive }: TalkModel): void {
    const { isRunning } = this;
    const lacksImages = (message: Outgoing) => this.context.outbox.lacksImages(message);
    this.queue.render({ sessionId, queued: status?.queued ?? [], unsent, isLive, isRunning, lacksImages });
  }

  private drawComposer(session: SessionListItem, { status, isLive }: TalkModel): void {
    const { sessionId, cliType, activity } = session;
    const sign = [isLive, status?.isAlive, activity, status?.modeId].join();
    if (isLive) this.options.follow(sessionId, sign);
    const { modes, currentModeId, models, currentModelId } = this.options.of(sessionId);
    this.mode.show(modeChoices(modes, status?.modeId ?? currentModeId), currentModeId);
    this.model.show(modelChoices(models, currentModelId), currentModelId);
    this.mode.disabled = !isLive;
    this.model.disabled = !isLive;
    const can = this.infos.find((info) => info.cliType === cliType)?.capabilities;
    this.composer.show({
      sessionId,
      running: this.isRunning,
      takesImages: can?.images,
      canSteer: can?.steer === true,
    });
  }

  private makeQueue(): QueuePanel {
    const actions = queueActions({
      outbox: this.context.outbox,
      sender: this.sender,
      ask: (work, text) => this.withQueue(work, text),
      orphaned: (text) => {
        this.composer.putBack(text);
        this.context.problem("The message that you were changing has begun. What you wrote stands below.");
      },
    });
    return new QueuePanel(actions);
  }

  private withQueue(work: (sessionId: SessionId) => Promise<void>, text?: string): void {
    const { sessionId } = this.shown?.session ?? {};
    if (sessionId === undefined) return;
    const done = work(sessionId);
    if (text === undefined) return void this.attempt(done);
    const putBack = () => this.composer.putBack(text, sessionId);
    void this.attempt(done, putBack, " What you wrote stands below.");
  }

  private stopTask(taskId: string): void {
    const { session } = this.shown ?? {};
    if (session)
      void this.attempt(api.stopTask(session.sessionId, taskId), () => this.tasks.stillRuns(taskId));
  }

  private adjust(work: (sessionId: SessionId) => Promise<SessionOptions>): void {
    const { session } = this.shown ?? {};
    if (!session) return;
    const { sessionId } = session;
    void this.attempt(work(sessionId).then((options) => this.options.take(sessionId, options)));
  }

  private refused(clientMessageId: string, reason: string): void {
    this.composer.refused(clientMessageId);
    this.context.changed();
    this.context.problem(reason);
  }

  private forgetStop(): void {
    if (this.twice.isArmed(Date.now())) this.composer.warn("");
    this.twice.forget();
  }

  private async attempt(work: Promise<unknown>, failed?: () => void, note = ""): Promise<void> {
    try {
      await work;
    } catch (error) {
      failed?.();
      if (!(error instanceof api.ApiError)) throw error;
      if (error.status === 401) return this.context.loggedOut();
      this.context.problem(tooLate(error.code, error.message) + note);
    } finally {
      this.context.changed();
    }
  }
}
