/** Where a message is written. What was typed stays until the server has confirmed that it has it. */
import type { ClientMessageId, SessionId } from "./contract";
import { button, element, setText } from "./dom";

export type Outgoing = { sessionId: SessionId; clientMessageId: ClientMessageId; content: string };

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
  private readonly drafts = new Map<SessionId, string>();
  private readonly pending = new Map<SessionId, Outgoing>();
  private sessionId: SessionId | undefined;

  constructor(private readonly actions: ComposerActions) {
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
    this.hide();
  }

  hide(): void {
    this.keepDraft();
    this.sessionId = undefined;
    this.root.hidden = true;
  }

  show(model: ComposerModel): void {
    if (model.sessionId !== this.sessionId) this.changeTo(model.sessionId);
    this.root.hidden = false;
    this.stopButton.hidden = !model.running;
    this.hint.dataset.about = model.queued > 0 ? "queue" : "keys";
    setText(this.hint, model.queued > 0 ? waitingText(model.queued) : KEYS);
    this.showPending();
  }

  focus(): void {
    this.input.focus();
  }

  /** Says something as if it was written here. */
  say(content: string): void {
    this.input.value = content;
    this.root.requestSubmit();
  }

  /** The server has the message. */
  confirmed(clientMessageId: ClientMessageId | undefined): void {
    for (const [sessionId, message] of this.pending) {
      if (message.clientMessageId !== clientMessageId) continue;
      this.pending.delete(sessionId);
      this.drafts.delete(sessionId);
      if (sessionId === this.sessionId) this.input.value = "";
    }
    this.showPending();
  }

  /** The server refused the message: it can be changed and sent again. */
  refused(clientMessageId: ClientMessageId): void {
    for (const [sessionId, message] of this.pending) {
      if (message.clientMessageId === clientMessageId) this.pending.delete(sessionId);
    }
    this.showPending();
  }

  /** After a reconnect: the id makes sending twice the same as sending once. */
  resend(): void {
    for (const message of this.pending.values()) this.actions.send(message);
  }

  private changeTo(sessionId: SessionId): void {
    this.keepDraft();
    this.sessionId = sessionId;
    this.input.value = this.drafts.get(sessionId) ?? "";
  }

  private keepDraft(): void {
    if (this.sessionId !== undefined) this.drafts.set(this.sessionId, this.input.value);
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
    if (this.sessionId === undefined || content.trim() === "" || this.pending.has(this.sessionId)) return;
    const message = { sessionId: this.sessionId, clientMessageId: crypto.randomUUID(), content };
    this.pending.set(this.sessionId, message);
    this.actions.send(message);
    this.showPending();
  }

  private showPending(): void {
    const waits = this.sessionId !== undefined && this.pending.has(this.sessionId);
    this.input.readOnly = waits;
    this.sendButton.disabled = waits;
    setText(this.sendButton, waits ? "Sending" : "Send");
  }
}

function waitingText(queued: number): string {
  return queued === 1 ? "1 message waits for its turn" : `${queued} messages wait for their turn`;
}
