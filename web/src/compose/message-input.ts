/** The field in which a message is written: grows with its text, completes files and commands, and goes back to earlier prompts. */
import type { SlashCommand } from "../contract";
import { element } from "../dom/dom";
import { OptionList } from "../dom/option-list";
import { commandChoices, completed, fileChoices, markedAt, type Trigger, triggerAt } from "./completion";
import { HistoryWalk } from "./prompt-history";
import { isSendKey } from "./send-key";

export type MessageInputActions = {
  submit(): void;
  changed(): void;
  /** What was said before, the oldest first. */
  prompts(): string[];
  commands(): Promise<SlashCommand[]>;
  files(query: string): Promise<string[]>;
};

/** Who types fast is not answered in between. */
const TYPING_MS = 100;

export class MessageInput {
  readonly field = element("textarea", "composer-input");
  readonly list: OptionList;
  private readonly walk = new HistoryWalk();
  private typing: ReturnType<typeof setTimeout> | undefined;
  /** A place that was closed with Esc stays closed until something else is written. */
  private closedAt: number | undefined;

  constructor(private readonly actions: MessageInputActions) {
    this.field.rows = 3;
    this.field.placeholder = "Write a message";
    this.field.enterKeyHint = "send";
    this.field.setAttribute("aria-label", "Message");
    this.field.setAttribute("aria-autocomplete", "list");
    this.list = new OptionList(this.field, "Files and commands", {
      taken: ({ value }) => this.complete(value),
      left: () => {
        clearTimeout(this.typing);
        this.closedAt = this.trigger?.from;
      },
    });
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    this.field.addEventListener("input", () => {
      this.fit();
      this.actions.changed();
      this.look();
    });
  }

  get text(): string {
    return this.field.value;
  }

  set text(text: string) {
    this.field.value = text;
    this.list.close();
    this.closedAt = undefined;
    this.fit();
  }

  private get trigger(): Trigger | undefined {
    return triggerAt({ text: this.text, caret: this.field.selectionEnd });
  }

  private pressed(event: KeyboardEvent): void {
    if (this.list.pressed(event)) return;
    if (isSendKey(event)) {
      event.preventDefault();
      // Held after an option was taken it is still the press that took it.
      return event.repeat ? undefined : this.actions.submit();
    }
    if (event.key === "ArrowUp") this.goBack(event, -1);
    if (event.key === "ArrowDown") this.goBack(event, 1);
  }

  private goBack(event: KeyboardEvent, step: -1 | 1): void {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const earlier = this.walk.step(this.actions.prompts(), this.text, step);
    if (earlier === undefined) return;
    event.preventDefault();
    this.text = earlier;
    this.field.setSelectionRange(earlier.length, earlier.length);
    this.actions.changed();
  }

  private look(): void {
    clearTimeout(this.typing);
    const { trigger } = this;
    if (!trigger) {
      this.list.close();
      this.closedAt = undefined;
      return;
    }
    if (trigger.from === this.closedAt) return;
    this.list.expect();
    this.typing = setTimeout(() => void this.offer(trigger), TYPING_MS);
  }

  private async offer(trigger: Trigger): Promise<void> {
    const { text } = this;
    const choices =
      trigger.kind === "command"
        ? commandChoices(await this.actions.commands(), trigger.query)
        : fileChoices(await this.actions.files(trigger.query));
    // What was typed meanwhile has an answer of its own.
    if (text !== this.text || document.activeElement !== this.field || trigger.from === this.closedAt) return;
    this.list.show(choices, markedAt(choices, trigger));
  }

  private complete(value: string): void {
    const { trigger } = this;
    if (!trigger) return;
    const { text, caret } = completed({ text: this.text, caret: this.field.selectionEnd }, trigger, value);
    this.text = text;
    this.field.setSelectionRange(caret, caret);
    this.actions.changed();
  }

  /** Browsers that cannot size a field by its text are told its height; the style has the bounds. */
  private fit(): void {
    if (CSS.supports("field-sizing", "content")) return;
    this.field.style.setProperty("height", "auto");
    this.field.style.setProperty("height", `${this.field.scrollHeight}px`);
  }
}
