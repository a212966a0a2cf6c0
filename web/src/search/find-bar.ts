/** Finds words in the open session: a bar above the transcript that looks into rows that are not on the page too. */
import type { ItemId, SearchHit, SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { openCard } from "../items/open-card";
import { ApiError, search } from "../server/api";
import type { Transcript } from "../transcript/transcript";
import { countText, hitsInOrder, MOST_HITS } from "./hits";
import { Marks, rangesIn } from "./marks";
import { sayIfSlow } from "./say-if-slow";
import { hasAll, searchedText, wordsOf } from "./words";

export type Searched = { sessionId: SessionId; transcript: Transcript };

/** Typing pauses this long before the server is asked. */
const PAUSE_MS = 180;

export class FindBar {
  readonly root = element("search", "find-bar");
  private readonly input = element("input", "find-input");
  private readonly count = element("output", "find-count");
  private readonly steps: HTMLButtonElement[];
  private readonly marks = new Marks();
  private readonly observer = new MutationObserver(() => this.repaintSoon());
  private timer: ReturnType<typeof setTimeout> | undefined;
  private repaint: ReturnType<typeof setTimeout> | undefined;
  private searched: Searched | undefined;
  private before: Element | null = null;
  private words: string[] = [];
  private hits: ItemId[] = [];
  private at = 0;
  private isCut = false;
  private failure = "";
  private asked = 0;

  constructor(private readonly current: () => Searched | undefined) {
    this.input.type = "search";
    this.input.placeholder = "Find in this session";
    this.input.setAttribute("aria-label", "Find in this session");
    this.input.enterKeyHint = "search";
    this.steps = [
      stepButton("↑", "Previous find", () => this.step(-1)),
      stepButton("↓", "Next find", () => this.step(1)),
    ];
    const close = stepButton("✕", "Close find", () => this.close());
    this.root.append(this.input, this.count, ...this.steps, close);
    this.root.addEventListener("keydown", (event) => this.keyPressed(event));
    this.input.addEventListener("input", () => this.typed());
  }

  /** With what was typed before it was there. */
  open(typed = ""): void {
    const searched = this.current();
    if (!searched) return;
    if (searched.transcript !== this.searched?.transcript) this.close();
    if (!this.searched) this.before = document.activeElement;
    this.searched = searched;
    searched.transcript.root.append(this.root);
    this.observer.observe(searched.transcript.rows, { childList: true, subtree: true, characterData: true });
    this.input.focus();
    if (typed === "") this.input.select();
    else this.input.value = typed;
    this.draw();
    if (this.input.value !== "") void this.find();
  }

  /** Another session is looked at now. */
  follow(sessionId: SessionId | undefined): void {
    if (this.searched && this.searched.sessionId !== sessionId) this.close();
  }

  close(): void {
    if (!this.searched) return;
    const hadFocus = this.root.contains(document.activeElement);
    clearTimeout(this.timer);
    clearTimeout(this.repaint);
    this.repaint = undefined;
    this.asked += 1;
    this.observer.disconnect();
    this.marks.clear();
    this.root.remove();
    this.hits = [];
    this.searched = undefined;
    if (hadFocus && this.before instanceof HTMLElement) this.before.focus({ preventScroll: true });
  }

  private keyPressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const isStep = event.key === "Enter" && event.target === this.input;
    if (event.key === "Escape") this.close();
    else if (isStep) this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp")
      this.step(event.key === "ArrowDown" ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.find(), PAUSE_MS);
  }

  private async find(): Promise<void> {
    const { searched } = this;
    if (!searched) return;
    this.asked += 1;
    const { asked } = this;
    const words = wordsOf(this.input.value);
    const told =
      words.length === 0 ? [] : await sayIfSlow(found(words, searched.sessionId), () => this.wait(asked));
    if (asked !== this.asked) return;
    this.words = words;
    this.failure = typeof told === "string" ? told : "";
    const here = typeof told === "string" ? [] : told;
    this.isCut = here.length >= MOST_HITS;
    const items = searched.transcript.items;
    const local = [...items.values()].filter((item) => hasAll(searchedText(item), words));
    local.sort((a, b) => a.position - b.position);
    this.hits = hitsInOrder(
      here.map(({ itemId }) => itemId),
      local,
      items,
    );
    this.at = this.hits.length - 1;
    await this.show();
  }

  private wait(asked: number): void {
    if (asked === this.asked) setText(this.count, "Searching…");
  }

  private step(by: number): void {
    if (this.hits.length === 0) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    void this.show();
  }

  private async show(): Promise<void> {
    this.draw();
    const hit = this.hits[this.at];
    if (hit !== undefined) await this.searched?.transcript.reader.show(hit, "stay");
    this.paint();
    this.unfold();
  }

  /** Opens what the find is folded into, and brings its first word onto the screen. */
  private unfold(): void {
    const row = this.row;
    if (!row) return;
    let [first] = rangesIn(row, this.words, 1);
    // What is folded away may not be built yet.
    while (!first && openCard(row)) [first] = rangesIn(row, this.words, 1);
    const around = first?.startContainer.parentElement;
    const folded = around?.closest<HTMLDetailsElement>("details:not([open])");
    // The line of a fold is seen whether it is open or not.
    if (folded && row.contains(folded) && !around?.closest("summary")) folded.open = true;
    if (first) this.searched?.transcript.reader.reach(first);
  }

  private get row(): HTMLElement | undefined {
    const hit = this.hits[this.at];
    return hit === undefined ? undefined : this.searched?.transcript.rowOf(hit);
  }

  /** The transcript grows and changes while it is searched. */
  private repaintSoon(): void {
    this.repaint ??= setTimeout(() => {
      this.repaint = undefined;
      if (this.searched) this.paint();
    }, PAUSE_MS);
  }

  private paint(): void {
    const rows = this.searched?.transcript.rows.querySelectorAll<HTMLElement>("[data-item-id]") ?? [];
    this.marks.paint(rows, this.words, this.row);
  }

  private draw(): void {
    const isAsked = wordsOf(this.input.value).length > 0;
    const words = { isCut: this.isCut, hasFailed: this.failure !== "" };
    setText(this.count, isAsked ? countText(this.at, this.hits.length, words) : "");
    const cut = this.isCut ? `Only the newest ${MOST_HITS} finds are told by the server.` : "";
    this.count.title = this.failure === "" ? cut : this.failure;
    for (const step of this.steps) step.disabled = this.hits.length === 0;
  }
}

/** What the server has found, or why it has not: then only what is loaded was looked through. */
async function found(words: string[], sessionId: SessionId): Promise<SearchHit[] | string> {
  try {
    return await search(words.join(" "), sessionId);
  } catch (error) {
    if (error instanceof ApiError) return `Only what is loaded was searched. ${error.message}`;
    throw error;
  }
}

function stepButton(sign: string, label: string, pressed: () => void): HTMLButtonElement {
  const made = button(sign, "quiet find-step", pressed);
  made.setAttribute("aria-label", label);
  made.title = label;
  return made;
}
