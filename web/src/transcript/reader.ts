/** Takes the reader to places of the session: its ends, prompts, and items that are linked to or were found. */
import type { ItemId } from "../contract";
import { element, setText } from "../dom/dom";
import type { Timeline } from "../timeline/timeline";
import type { FollowEnd } from "./follow-end";
import type { TranscriptSource } from "./transcript";

export type ReaderParts = {
  root: HTMLElement;
  box: HTMLElement;
  list: HTMLElement;
  end: FollowEnd;
  source(): TranscriptSource | undefined;
  /** The element of an item, drawn. */
  row(itemId: ItemId): HTMLElement | undefined;
  /** Places what is known and was left for later frames. */
  placeAll(): void;
  /** What is in sight now was not just now. */
  jumped(): void;
  timeline(): Timeline;
};

/** How long an item that was asked for stands out, and something said stays. */
const MARKED_MS = 2_400;
const SAID_MS = 5_000;
/** Where a prompt is brought to, in pixels below the top. */
const UNDER_TOP = 16;
const PROMPT = '[data-item-id][data-origin="user"]';
const NOT_THERE = "This message is not in this session.";

export class Reader {
  private readonly said = element("p", "transcript-said");
  private saidTimer: ReturnType<typeof setTimeout> | undefined;
  private marked: HTMLElement | undefined;
  private markTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly parts: ReaderParts) {
    this.said.ariaLive = "polite";
    parts.root.append(this.said);
    this.say("");
  }

  clear(): void {
    this.unmark();
    this.say("");
  }

  /** Tells something for a moment. */
  say(text: string): void {
    clearTimeout(this.saidTimer);
    setText(this.said, text);
    this.said.hidden = text === "";
    if (text !== "") this.saidTimer = setTimeout(() => this.say(""), SAID_MS);
  }

  get isSelecting(): boolean {
    const selection = document.getSelection();
    return selection !== null && !selection.isCollapsed && this.parts.list.contains(selection.anchorNode);
  }

  /** The item that has the focus, or the last that is seen. */
  get current(): ItemId | undefined {
    const focused = document.activeElement?.closest<HTMLElement>("[data-item-id]");
    if (focused && this.parts.list.contains(focused)) return focused.dataset.itemId;
    return this.seenItems().at(-1)?.dataset.itemId;
  }

  toLatest(): void {
    void this.attempt(async () => {
      await this.parts.source()?.loadLatest();
      this.parts.end.toEnd();
    });
  }

  toFirst(): void {
    void this.attempt(async () => {
      this.parts.end.leave();
      await this.parts.source()?.loadFirst();
      const first = this.firstItem();
      if (first !== undefined) this.parts.row(first);
      this.scrollBy(-this.parts.box.scrollHeight);
      this.parts.box.focus({ preventScroll: true });
    });
  }

  /** Brings an item to the middle, makes it stand out for a moment and gives it the focus, unless that is to stay. */
  async show(itemId: ItemId, focus: "move" | "stay" = "move"): Promise<boolean> {
    const isThere = await this.attempt(async () => {
      const found = this.parts.row(itemId) ?? (await this.load(itemId));
      if (!found) this.say(NOT_THERE);
      else this.reveal(found, focus);
      return found !== undefined;
    });
    return isThere ?? false;
  }

  /** Brings a part of a row onto the screen, if it is not there. */
  reach(range: Range): void {
    const { top, bottom } = range.getBoundingClientRect();
    const edge = this.parts.box.getBoundingClientRect();
    if (top >= edge.top + 3 * UNDER_TOP && bottom <= edge.bottom - UNDER_TOP) return;
    this.scrollBy(top - edge.top - edge.height / 2);
  }

  /** Goes to the nearest message of a person above or below. */
  toPrompt(direction: "before" | "after"): void {
    const here = this.promptNear(direction) ?? this.promptToBePlaced(direction);
    if (here) return this.alignTop(here);
    void this.attempt(async () => {
      const itemId = await this.parts.source()?.promptBeyond(direction);
      const row = itemId === undefined ? undefined : await this.load(itemId);
      if (row) this.alignTop(row);
      else if (direction === "after") this.toLatest();
      else this.say("There is no earlier prompt.");
    });
  }

  private async load(itemId: ItemId): Promise<HTMLElement | undefined> {
    const isThere = await this.parts.source()?.loadAround(itemId);
    return isThere ? this.parts.row(itemId) : undefined;
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch {
      this.say("That part of the session could not be loaded. Try again.");
      return undefined;
    }
  }

  private promptNear(direction: "before" | "after"): HTMLElement | undefined {
    const prompts = [...this.parts.list.querySelectorAll<HTMLElement>(PROMPT)];
    const focused = prompts.findIndex((row) => row.contains(document.activeElement) && this.isSeen(row));
    if (focused >= 0) return prompts[direction === "before" ? focused - 1 : focused + 1];
    return direction === "before"
      ? prompts.findLast((row) => this.topOf(row) < UNDER_TOP - 2)
      : prompts.find((row) => this.topOf(row) > UNDER_TOP + 2);
  }

  /** One that is known already is not asked for: the server is asked for what lies beyond. */
  private promptToBePlaced(direction: "before" | "after"): HTMLElement | undefined {
    this.parts.placeAll();
    return this.promptNear(direction);
  }

  private alignTop(row: HTMLElement): void {
    this.parts.end.leave();
    this.scrollBy(this.topOf(row) - UNDER_TOP);
    this.focus(row);
  }

  private reveal(row: HTMLElement, focus: "move" | "stay"): void {
    this.parts.end.leave();
    const spare = Math.max(this.seen.height - row.getBoundingClientRect().height, 0);
    this.scrollBy(this.topOf(row) - Math.max(spare / 2, spare === 0 ? UNDER_TOP : 0));
    this.mark(row);
    if (focus === "move") this.focus(row);
  }

  private scrollBy(pixels: number): void {
    this.parts.box.scrollTop += pixels;
    this.parts.jumped();
    this.parts.end.leave();
  }

  private focus(row: HTMLElement): void {
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
  }

  private mark(row: HTMLElement): void {
    this.unmark();
    row.dataset.marked = "true";
    this.marked = row;
    this.markTimer = setTimeout(() => this.unmark(), MARKED_MS);
  }

  private unmark(): void {
    clearTimeout(this.markTimer);
    if (this.marked) delete this.marked.dataset.marked;
    this.marked = undefined;
  }

  private firstItem(): ItemId | undefined {
    const items = [...this.parts.timeline().items.values()];
    return items.sort((a, b) => a.position - b.position)[0]?.itemId;
  }

  private seenItems(): HTMLElement[] {
    const all = [...this.parts.list.querySelectorAll<HTMLElement>("[data-item-id]")];
    return all.filter((row) => this.isSeen(row));
  }

  private isSeen(row: HTMLElement): boolean {
    const top = this.topOf(row);
    return top < this.seen.height && top + row.offsetHeight > 0;
  }

  private topOf(row: HTMLElement): number {
    return row.getBoundingClientRect().top - this.seen.top;
  }

  /** What can be seen: notes may lie over the top of the box. */
  private get seen(): { top: number; height: number } {
    const { box } = this.parts;
    const covered = Number.parseFloat(getComputedStyle(box).scrollPaddingTop) || 0;
    return { top: box.getBoundingClientRect().top + covered, height: box.clientHeight - covered };
  }
}
