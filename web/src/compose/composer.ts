/** Where a message is written. What was typed stays with its session until it is sent, and what was sent in the outbox until
 * the server has confirmed that it has it. */
import type { ClientMessageId, Delivery, SessionId, SlashCommand } from "../contract";
import { button, element, setText } from "../dom/dom";
import { isWriting } from "../dom/is-writing";
import type { Outbox, Outgoing } from "../server/outbox";
import { AttachmentTray, imagesIn } from "./attachment-tray";
import { watchDrops } from "./dropped-files";
import type { ImageStore } from "./image-store";
import type { KeptTexts } from "./kept-text";
import { MessageInput } from "./message-input";
import type { PromptHistory } from "./prompt-history";
import { sendKeyWords } from "./send-key";

export type ComposerActions = {
  /** There is something new in the outbox. */
  send(): void;
  stop(): void;
  /** Prompts of the timeline, the oldest first. */
  prompts(): string[];
  commands(sessionId: SessionId): Promise<SlashCommand[]>;
  files(sessionId: SessionId, query: string): Promise<string[]>;
};

export type ComposerParts = {
  outbox: Outbox;
  drafts: KeptTexts;
  imageCounts: KeptTexts;
  imageStore: ImageStore;
  history: PromptHistory;
  /** What stands in the row below the text: pickers of mode and model. */
  tools: HTMLElement[];
  /** What stands at the end, below everything. */
  aside: HTMLElement;
};

export type ComposerModel = {
  sessionId: SessionId;
  running: boolean;
  /** Undefined while it is not known. */
  takesImages: boolean | undefined;
  /** Whether a message can join the turn that runs; else it can only interrupt it. */
  canSteer: boolean;
};

export class Composer {
  readonly root = element("form", "composer");
  private readonly box = element("div", "composer-box options-anchor");
  private readonly input: MessageInput;
  private readonly images: AttachmentTray;
  private readonly hint = element("p", "composer-hint");
  private readonly sendButton = element("button", "button primary", "Send");
  private readonly nowButton: HTMLButtonElement;
  private readonly stopButton: HTMLButtonElement;
  private model: ComposerModel | undefined;
  private isStopping = false;
  private warning = "";

  constructor(
    private readonly parts: ComposerParts,
    private readonly actions: ComposerActions,
  ) {
    this.images = new AttachmentTray(parts.imageCounts, parts.imageStore, () => this.drawButtons());
    this.input = new MessageInput({
      submit: () => this.root.requestSubmit(),
      changed: () => this.keepDraft(),
      prompts: () => (this.model ? parts.history.of(this.model.sessionId, actions.prompts()) : []),
      commands: async () => (this.model ? actions.commands(this.model.sessionId) : []),
      files: async (query) => (this.model ? actions.files(this.model.sessionId, query) : []),
    });
    this.stopButton = button("Stop", "stop", () => actions.stop());
    this.nowButton = button("", "send-now", () => this.sayNow());
    const tools = element("div", "composer-tools", this.images.pick, ...parts.tools);
    const last = element("div", "composer-last", this.stopButton, this.nowButton, this.sendButton);
    this.box.append(
      this.input.list.root,
      this.images.root,
      this.input.field,
      element("div", "composer-row", tools, last),
    );
    this.root.append(this.box, element("div", "composer-foot", this.hint, parts.aside));
    this.root.addEventListener("submit", (event) => this.submitted(event));
    this.takeImages();
    // A text is written in one window at a time: what it is there, it is here.
    parts.drafts.follow((name) => name === this.model?.sessionId && this.showDraft());
    this.hide();
  }

  /** One that will be there soon keeps its room, so that nothing moves when it comes. */
  hide(keepsRoom = false): void {
    this.model = undefined;
    this.root.hidden = !keepsRoom;
    if (keepsRoom) this.drawHint();
  }

  show(model: ComposerModel): void {
    const isOther = model.sessionId !== this.model?.sessionId;
    if (!model.running || isOther) this.isStopping = false;
    this.model = model;
    this.images.show(model.sessionId, model.takesImages);
    if (isOther) this.showDraft();
    this.root.hidden = false;
    this.drawButtons();
    this.drawHint();
  }

  /** Whether keys that send mean it: whoever writes somewhere else is not done here. */
  get isMeant(): boolean {
    const { activeElement } = document;
    return !isWriting(activeElement) || this.root.contains(activeElement);
  }

  focus(): void {
    this.input.field.focus();
  }

  /** Something to be said in place of the keys, until it is said no more. */
  warn(text: string): void {
    this.warning = text;
    this.drawHint();
  }

  /** The turn is being stopped. */
  stopping(isStopping: boolean): void {
    this.isStopping = isStopping;
    this.drawButtons();
  }

  submit(): void {
    if (this.model) this.root.requestSubmit();
  }

  /** Says something as if it was written here; what is being written stays. */
  say(content: string): void {
    if (this.model) this.dispatch(this.model.sessionId, content);
  }

  /** The first message of a session that was just started; nothing where nothing was written. */
  sayIn(sessionId: SessionId, content: string): void {
    if (content.trim() !== "") this.dispatch(sessionId, content);
  }

  /** Sends what is written into the turn that runs, or in its place. */
  sayNow(): void {
    if (this.model?.running) this.sendWritten(this.model.canSteer ? "steer" : "interrupt");
  }

  /** The server refused the message: it stands here again, before what was written since, to be changed and sent again. */
  refused(clientMessageId: ClientMessageId): void {
    const images = this.parts.outbox.imagesOf(clientMessageId);
    const message = this.parts.outbox.take(clientMessageId);
    if (!message) return;
    this.putBack(message.content, message.sessionId);
    this.images.giveBack(message.sessionId, images);
  }

  /** A text that found no other place stands here, before what was written since. */
  putBack(content: string, sessionId = this.model?.sessionId): void {
    if (sessionId === undefined) return;
    this.parts.drafts.change(sessionId, (since) => before(content, since));
    if (sessionId === this.model?.sessionId) this.showDraft();
  }

  private showDraft(): void {
    this.input.text = (this.model && this.parts.drafts.get(this.model.sessionId)) ?? "";
    this.drawButtons();
  }

  private keepDraft(): void {
    this.drawButtons();
    if (!this.model) return;
    const { sessionId } = this.model;
    if (this.input.text === "") this.parts.drafts.delete(sessionId);
    else this.parts.drafts.set(sessionId, this.input.text);
  }

  private get isEmpty(): boolean {
    return this.input.text.trim() === "" && this.images.files.length === 0;
  }

  private drawButtons(): void {
    const running = this.model?.running === true;
    this.sendButton.disabled = this.isEmpty;
    this.sendButton.title = running ? "Waits for its turn behind what runs" : "";
    this.stopButton.hidden = !running;
    this.stopButton.disabled = this.isStopping;
    setText(this.stopButton, this.isStopping ? "Stopping" : "Stop");
    this.nowButton.hidden = !running || this.isEmpty;
    const canSteer = this.model?.canSteer === true;
    setText(this.nowButton, canSteer ? "Add to this turn" : "Interrupt");
    this.nowButton.title = canSteer
      ? "The agent hears it while it works (Ctrl+Shift+Enter)"
      : "Stops what runs and sends this instead (Ctrl+Shift+Enter)";
  }

  private drawHint(): void {
    this.hint.dataset.about = this.warning === "" ? "keys" : "warning";
    // What the keys do is there to be read; only a warning speaks up.
    this.hint.role = this.warning === "" ? null : "alert";
    setText(this.hint, this.warning === "" ? sendKeyWords() : this.warning);
  }

  private submitted(event: Event): void {
    event.preventDefault();
    this.sendWritten("queue");
  }

  private sendWritten(delivery: Delivery): void {
    if (!this.model || this.isEmpty) return;
    const content = this.input.text;
    this.input.text = "";
    this.keepDraft();
    this.dispatch(this.model.sessionId, content, this.images.files, delivery);
    // Kept with the message by now: at no time are they kept nowhere.
    this.images.clear();
  }

  private dispatch(
    sessionId: SessionId,
    content: string,
    images: File[] = [],
    delivery: Delivery = "queue",
  ): void {
    const message: Outgoing = {
      sessionId,
      clientMessageId: crypto.randomUUID(),
      content,
      writtenAt: Date.now(),
      ...(delivery !== "queue" && { delivery }),
      ...(images.length > 0 && { imageNames: images.map(({ name }) => name) }),
    };
    this.parts.history.remember(sessionId, content);
    this.parts.outbox.add(message, images);
    this.actions.send();
  }

  private takeImages(): void {
    this.input.field.addEventListener("paste", (event) => {
      const images = imagesIn(event.clipboardData);
      if (images.length > 0) event.preventDefault();
      this.images.add(images);
    });
    watchDrops({
      // Anywhere over the session: nobody has to aim.
      takes: (target) =>
        this.model !== undefined &&
        target instanceof Node &&
        this.root.closest("main")?.contains(target) === true,
      over: (isOver) => {
        this.box.dataset.dropping = String(isOver);
      },
      dropped: (files) => this.images.add(files),
    });
  }
}

/** Two windows may be told that the same message was refused: it comes back once. */
function before(content: string, since: string): string {
  if (since === "") return content;
  return since.startsWith(content) ? since : `${content}\n\n${since}`;
}
