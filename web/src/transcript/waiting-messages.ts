/** What was written and has not begun: messages that the server does not have yet, and turns that wait for their turn. */
import type { QueuedTurn, TurnId } from "../contract";
import { arrange, button, element, setText } from "../dom/dom";
import type { Outgoing } from "../server/outbox";
import { visibleText } from "../text/visible-text";

export type WaitingModel = { queued: QueuedTurn[]; unsent: Outgoing[]; isLive: boolean };
export type WaitingActions = { remove(turnId: TurnId): void; resume(): void };

type Entry = { root: HTMLElement; text: HTMLElement; state: HTMLElement; remove: HTMLButtonElement };
type Shown = { id: string; content: string; state: string; words: string };

export class WaitingMessages {
  readonly root = element("section", "waiting");
  private readonly list = element("ol", "waiting-list");
  private readonly resume: HTMLButtonElement;
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly actions: WaitingActions) {
    this.root.setAttribute("aria-label", "What waits");
    this.resume = button("Go on with what is paused", "waiting-resume", () => actions.resume());
    this.root.append(this.list, this.resume);
    this.render({ queued: [], unsent: [], isLive: false });
  }

  render({ queued, unsent, isLive }: WaitingModel): void {
    const shown = [...queued.map(ofTurn), ...unsent.map((message) => ofMessage(message, isLive))];
    const ids = new Set(shown.map(({ id }) => id));
    for (const id of this.entries.keys()) if (!ids.has(id)) this.entries.delete(id);
    arrange(
      this.list,
      shown.map((one) => this.draw(one)),
    );
    this.root.hidden = shown.length === 0;
    this.resume.hidden = !queued.some(({ paused }) => paused);
    for (const one of [this.resume, ...this.removals()]) one.disabled = !isLive;
  }

  private removals(): HTMLButtonElement[] {
    return Array.from(this.entries.values(), ({ remove }) => remove);
  }

  private draw({ id, content, state, words }: Shown): HTMLElement {
    const entry = this.entries.get(id) ?? this.add(id);
    entry.root.dataset.state = state;
    setText(entry.text, visibleText(content));
    setText(entry.state, words);
    // Only what the server has can be taken back from it.
    entry.remove.hidden = state === "unsent" || state === "sending";
    return entry.root;
  }

  private add(id: string): Entry {
    const text = element("div", "waiting-text");
    const state = element("span", "waiting-state");
    const remove = button("Remove", "quiet", () => this.actions.remove(id));
    const root = element("li", "waiting-message", text, element("div", "waiting-row", state, remove));
    root.dataset.waiting = id;
    const entry = { root, text, state, remove };
    this.entries.set(id, entry);
    return entry;
  }
}

function ofTurn({ turnId, content, paused }: QueuedTurn): Shown {
  return paused
    ? { id: turnId, content, state: "paused", words: "Paused" }
    : { id: turnId, content, state: "queued", words: "Waits for its turn" };
}

function ofMessage({ clientMessageId, content }: Outgoing, isLive: boolean): Shown {
  return isLive
    ? { id: clientMessageId, content, state: "sending", words: "Sending" }
    : { id: clientMessageId, content, state: "unsent", words: "Waiting for the connection" };
}
