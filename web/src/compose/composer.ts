/** Where a message is written. What was typed stays with its session until it is sent, and what was sent in the outbox until
 * the server has confirmed that it has it. */
import type { ClientMessageId, SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import type { Outbox, Outgoing } from "../server/outbox";
import type { KeptTexts } from "./kept-text";

export type ComposerActions = {
  send(message: Outgoing): void;
  cancel(sessionId: SessionId): void;
};

export type ComposerModel = { sessionId: SessionId; running: boolean; queued: number };

const KEYS = "Enter sends, Shift+Enter starts a new line";

export class Composer {
  readonly root = element("form", "composer");
  private readonly input = element("textarea", "composer-input");
  private readonly hint = element("p", "composer-hint");
  private readonly sendButton = element("button", "button primary", "Send");
  private readonly stopButton: HTMLButtonElement;
  private sessionId: SessionId | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly drafts: KeptTexts,
    private readonly actions: ComposerActions,
  ) {
    this.stopButton = button(
      "Stop",
      "",
      () => this.sessionId !== undefined && actions.cancel(this.sessionId),
    );
    this.input.rows = 2;
    this.input.placeholder = "Write a message";
    this.input.enterKeyHint = "send";
    this.input.setAttribute("aria-label", "Message");
    this.root.append(this.input, element("div", "composer-row", this.hint, this.stopButton, this.sendButton));
    this.root.addEventListener("submit", (event) => this.submitted(event));
    this.input.addEventListener("keydown", (event) => this.keyPressed(event));
    this.input.addEventListener("input", () => this.keepDraft());
    this.hide();
  }

  hide(): void {
    this.sessionId = undefined;
    this.root.hidden = true;
  }

  show(model: ComposerModel): void {
    if (model.sessionId !== this.sessionId) this.changeTo(model.sessionId);
    this.root.hidden = false;
    this.stopButton.hidden = !model.running;
    this.hint.dataset.about = model.queued > 0 ? "queue" : "keys";
    setText(this.hint, model.queued > 0 ? waitingText(model.queued) : KEYS);
  }

  focus(): void {
    this.input.focus();
  }

  /** Says something as if it was written here; what is being written stays. */
  say(content: string): void {
    if (this.sessionId !== undefined) this.dispatch(this.sessionId, content);
  }

  /** The first message of a session that was just started; nothing where nothing was written. */
  sayIn(sessionId: SessionId, content: string): void {
    if (content.trim() !== "") this.dispatch(sessionId, content);
  }

  /** The server has the message. */
  confirmed(clientMessageId: ClientMessageId | undefined): void {
    if (clientMessageId !== undefined) this.outbox.take(clientMessageId);
  }

  /** The server refused the message: it stands here again, before what was written since, to be changed and sent again. */
  refused(clientMessageId: ClientMessageId): void {
    const message = this.outbox.take(clientMessageId);
    if (!message) return;
    const { sessionId, content } = message;
    const since = this.drafts.get(sessionId) ?? "";
    this.drafts.set(sessionId, since === "" ? content : `${content}\n\n${since}`);
    if (sessionId === this.sessionId) this.changeTo(sessionId);
  }

  /** After a reconnect or a reload: the id makes sending twice the same as sending once. */
  resend(): void {
    for (const message of this.outbox.all()) this.actions.send(message);
  }

  private changeTo(sessionId: SessionId): void {
    this.sessionId = sessionId;
    this.input.value = this.drafts.get(sessionId) ?? "";
  }

  private keepDraft(): void {
    if (this.sessionId === undefined) return;
    if (this.input.value === "") this.drafts.delete(this.sessionId);
    else this.drafts.set(this.sessionId, this.input.value);
  }

  private keyPressed(event: KeyboardEvent): void {
    // Enter also ends the input of a character by an input method; that one is not meant for us.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.root.requestSubmit();
  }

  private submitted(event: Event): void {
    event.preventDefault();
    const content = this.input.value;
    if (this.sessionId === undefined || content.trim() === "") return;
    this.input.value = "";
    this.keepDraft();
    this.dispatch(this.sessionId, content);
  }

  private dispatch(sessionId: SessionId, content: string): void {
    const message = { sessionId, clientMessageId: crypto.randomUUID(), content, writtenAt: Date.now() };
    this.outbox.add(message);
    this.actions.send(message);
  }
}

function waitingText(queued: number): string {
  return queued === 1 ? "1 message waits for its turn" : `${queued} messages wait for their turn`;
}
