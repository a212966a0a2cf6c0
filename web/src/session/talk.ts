/** How a person talks to the agent of the open session: what waits, what is being written, and stopping and bringing back. */

import { Composer } from "../compose/composer";
import type { ImageStore } from "../compose/image-store";
import { browserStore, KeptTexts, PROMPTS } from "../compose/kept-text";
import { PromptHistory } from "../compose/prompt-history";
import type { AgentInfo, ServerFrame, TurnEvent } from "../contract";
import { element } from "../dom/dom";
import { tooLate } from "../queue/queue-entries";
import { ApiError, projectFiles } from "../server/api";
import { MessageSender } from "../server/message-sender";
import type { Outbox, Outgoing } from "../server/outbox";
import { AgentPanel } from "./agent-panel";
import { AgentSettings } from "./agent-settings";
import { isRunning, type OpenTalk, type Scene, type TalkModel } from "./talk-model";
import { TurnStop } from "./turn-stop";
import { WaitingPanel } from "./waiting-panel";

export type TalkContext = {
  outbox: Outbox;
  drafts: KeptTexts;
  images: ImageStore;
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

/** Sessions of this kind are fed by a program; there is nobody to write to. */
const EXTERNAL = "external";

export class Talk implements Scene {
  readonly root = element("div", "dock");
  readonly composer: Composer;
  readonly sender: MessageSender;
  private readonly settings = new AgentSettings(this);
  private readonly agent = new AgentPanel(this);
  private readonly stopping: TurnStop;
  private readonly waiting: WaitingPanel;
  private shown: OpenTalk | undefined;

  constructor(private readonly context: TalkContext) {
    const { outbox } = context;
    this.sender = new MessageSender(outbox, {
      isLive: () => context.isLive(),
      bySocket: (message, refused) => context.bySocket(message, refused),
      refused: (clientMessageId, reason) => this.refused(clientMessageId, reason),
      changed: () => context.changed(),
    });
    this.composer = this.makeComposer();
    this.stopping = new TurnStop(this.composer, this);
    const { sender, composer } = this;
    this.waiting = new WaitingPanel(
      { outbox, sender, composer, problem: (text) => context.problem(text) },
      this,
    );
    this.root.append(...this.agent.roots, this.waiting.queue.root, this.composer.root);
    this.root.hidden = true;
  }

  /** The agents as they were found. */
  showAgents(agents: AgentInfo[]): void {
    this.settings.showAgents(agents);
  }

  received(frame: ServerFrame): void {
    this.agent.received(frame);
  }

  render(model: TalkModel): void {
    const { session } = model;
    const canTalk = session !== undefined && session.cliType !== EXTERNAL && !model.isRemoved;
    this.shown = canTalk ? { ...model, session } : undefined;
    const isAwaited = session === undefined && model.isAwaited;
    this.root.hidden = !canTalk && !isAwaited;
    this.root.dataset.awaited = String(isAwaited);
    this.stopping.follow(this.shown);
    if (!this.shown) {
      this.composer.hide(isAwaited);
      return this.waiting.queue.hide();
    }
    this.settings.render(this.shown);
    this.drawComposer(this.shown);
    const isAlive = this.settings.isAlive(this.shown);
    this.agent.render(this.shown, { isAlive, lastEnd: this.context.lastEnd() });
    this.waiting.render(this.shown);
  }

  // What its parts need.

  get open(): OpenTalk | undefined {
    return this.shown;
  }

  changed(): void {
    this.context.changed();
  }

  async attempt(work: Promise<unknown>, failed?: () => void, note?: () => string): Promise<void> {
    try {
      await work;
    } catch (error) {
      failed?.();
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) return this.context.loggedOut();
      const reason = tooLate(error.code, error.message);
      this.context.problem(note ? `${reason} ${note()}` : reason);
    } finally {
      this.context.changed();
    }
  }

  // What the commands do; each is also a button.

  get isOpen(): boolean {
    return this.shown !== undefined;
  }

  get isRunning(): boolean {
    return isRunning(this.shown);
  }

  get canResume(): boolean {
    return this.shown?.session.status === "dead";
  }

  get canEnd(): boolean {
    return this.shown !== undefined && this.settings.isAlive(this.shown);
  }

  get hasQueue(): boolean {
    return this.isOpen && !this.waiting.queue.isEmpty;
  }

  get hasModes(): boolean {
    return this.isOpen && this.settings.mode.isShown;
  }

  get hasModels(): boolean {
    return this.isOpen && this.settings.model.isShown;
  }

  focusQueue(): void {
    this.waiting.queue.focus();
  }

  get hasQueuedInHand(): boolean {
    return this.hasQueue && this.waiting.queue.focused !== undefined;
  }

  moveQueued(step: -1 | 1): void {
    const { queue } = this.waiting;
    if (queue.focused !== undefined) queue.moveBy(queue.focused, step);
  }

  chooseMode(): void {
    this.settings.mode.open();
  }

  chooseModel(): void {
    this.settings.model.open();
  }

  stop(): void {
    this.stopping.stop();
  }

  stopTwice(): void {
    this.stopping.pressed();
  }

  askToEnd(): void {
    this.agent.askToEnd();
  }

  get hasAllowed(): boolean {
    return this.agent.hasAllowed;
  }

  showAllowed(): void {
    this.agent.showAllowed();
  }

  resume(): void {
    this.agent.resume();
  }

  private makeComposer(): Composer {
    const { outbox, drafts, prompts } = this.context;
    return new Composer(
      {
        outbox,
        drafts,
        imageCounts: new KeptTexts("liminal-draft-images ", browserStore("sessionStorage"), null),
        imageStore: this.context.images,
        history: new PromptHistory(new KeptTexts(PROMPTS, browserStore())),
        tools: [this.settings.mode.root, this.settings.model.root],
        aside: this.agent.aside,
      },
      {
        send: () => this.sender.sendNew(),
        stop: () => this.stop(),
        prompts,
        commands: (sessionId) => this.settings.commands(sessionId),
        files: (sessionId, query) => projectFiles(sessionId, query).catch(() => []),
      },
    );
  }

  private drawComposer({ session }: OpenTalk): void {
    const { sessionId, cliType } = session;
    const can = this.settings.can(cliType);
    this.composer.show({
      sessionId,
      running: this.isRunning,
      takesImages: can?.images,
      canSteer: can?.steer === true,
    });
  }

  private refused(clientMessageId: string, reason: string): void {
    this.composer.refused(clientMessageId);
    this.context.changed();
    this.context.problem(reason);
  }
}
