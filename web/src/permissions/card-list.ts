/**
 * Cards that wait, each in its place for as long as someone may be about to press it: new ones come where they move no other,
 * and what was answered keeps its room until the pointer is gone.
 */
import type { PermissionAnswer, PermissionId, PermissionRequest } from "../contract";
import { arrange, element } from "../dom/dom";
import type { Desk } from "./desk";
import { PastView } from "./past-view";
import { PermissionCard } from "./permission-card";

export type AnswerPermission = (request: PermissionRequest, answer: PermissionAnswer) => void;

/** One place in the list: a card, or what became of it. */
type Slot = { root: HTMLElement; card: PermissionCard; past: PastView | undefined };

/** Who may be about to press something: a mouse that is in the list, or a finger, which is nowhere before it presses. */
type Holder = "mouse" | "finger";

export type CardListOptions = {
  /** How many that are over stay after the pointer has left. */
  kept: number;
  /** Whether those that were answered here are among them. Where all decisions are listed, they are not. */
  keepsOwn: boolean;
  /** Where the end of the list has a fixed place, new ones come first: last, they would push the others from theirs. */
  newestFirst?: boolean;
  /** Where the focus goes when nothing waits any more. */
  home?: HTMLElement;
  /** What stands above a card: whose it is. */
  heading?: (request: PermissionRequest) => HTMLElement;
};

export class CardList {
  readonly root: HTMLElement;
  private readonly slots = new Map<PermissionId, Slot>();
  private holder: Holder | undefined;
  private isEntered = false;

  constructor(
    className: string,
    private readonly answered: AnswerPermission,
    private readonly options: CardListOptions,
  ) {
    this.root = element("div", className);
    this.root.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType === "mouse") this.holder = "mouse";
    });
    this.root.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType === "mouse") this.letLoose();
    });
  }

  /** It is looked at anew: what ended meanwhile is not spoken of. */
  enter(): void {
    this.isEntered = true;
  }

  render(waiting: PermissionRequest[], desk: Desk): void {
    for (const request of waiting) this.slotOf(request);
    const ids = new Set(waiting.map(({ permissionId }) => permissionId));
    if (this.isEntered) for (const id of this.slots.keys()) if (!ids.has(id)) this.slots.delete(id);
    this.isEntered = false;
    for (const [id, slot] of this.slots) {
      const state = { isSent: desk.sent.has(id), problem: desk.problems.get(id) };
      if (ids.has(id)) slot.card.render(state);
      else this.end(slot, desk);
    }
    this.settle();
  }

  /** The cards that can be answered, the oldest first. */
  get cards(): PermissionCard[] {
    return [...this.slots.values()].filter(({ past }) => past === undefined).map(({ card }) => card);
  }

  has(permissionId: PermissionId): boolean {
    return this.slots.has(permissionId);
  }

  cardOf(permissionId: PermissionId): PermissionCard | undefined {
    return this.cards.find(({ request }) => request.permissionId === permissionId);
  }

  /** What is over is not of interest any more. */
  forgetPast(): void {
    for (const [id, { past }] of this.slots) if (past) this.slots.delete(id);
    this.settle();
  }

  private slotOf(request: PermissionRequest): Slot {
    const known = this.slots.get(request.permissionId);
    if (known && !known.past) return known;
    const card = new PermissionCard(request, (answer) => this.answered(request, answer));
    const heading = this.options.heading ? [this.options.heading(request)] : [];
    const slot = { card, root: element("div", "permission-slot", ...heading, card.root), past: undefined };
    this.slots.set(request.permissionId, slot);
    return slot;
  }

  /** It does not wait any more: says what became of it, in its place and in its size. */
  private end(slot: Slot, desk: Desk): void {
    const { permissionId } = slot.card.request;
    const given = desk.answers.get(permissionId);
    const past = slot.past ?? this.putAway(slot, given !== undefined);
    past.tell(desk.decided.get(permissionId), given);
  }

  private putAway(slot: Slot, isOurs: boolean): PastView {
    const { request, root: card } = slot.card;
    const past = new PastView(request, () => {
      this.slots.delete(request.permissionId);
      this.settle();
    });
    // A finger that has just answered is not on its way to another card.
    if (this.holder !== "mouse" && hasNoMouse()) this.holder = isOurs ? undefined : "finger";
    past.root.style.setProperty("min-height", `${card.getBoundingClientRect().height}px`);
    const hadFocus = slot.root.contains(document.activeElement);
    card.replaceWith(past.root);
    slot.past = past;
    if (hadFocus) this.passFocusOn(request.permissionId);
    return past;
  }

  /** Whoever answers by keys goes on with the next one. */
  private passFocusOn(from: PermissionId): void {
    const slots = [...this.slots];
    const at = slots.findIndex(([id]) => id === from);
    const next = [...slots.slice(at + 1), ...slots.slice(0, at)].find(([, { past }]) => past === undefined);
    if (next) return next[1].card.arrive();
    this.slots.get(from)?.past?.root.focus();
  }

  private letLoose(): void {
    this.holder = undefined;
    this.settle();
  }

  /** Takes away what is over, and the room that it had, unless someone may be about to press something. */
  private settle(): void {
    if (this.holder === "finger" && this.cards.length === 0) this.holder = undefined;
    if (!this.holder) this.letGo();
    const shown = [...this.slots.values()].filter((slot) => this.holder || !this.isUndecided(slot));
    const hadFocus = this.root.contains(document.activeElement);
    const roots = shown.map(({ root }) => root);
    arrange(this.root, this.options.newestFirst ? roots.reverse() : roots);
    this.root.hidden = shown.length === 0;
    if (hadFocus && !this.root.contains(document.activeElement)) this.sendFocusHome();
  }

  private letGo(): void {
    const { kept, keepsOwn } = this.options;
    for (const { past } of this.slots.values()) past?.root.style.removeProperty("min-height");
    for (const [id, { past }] of this.slots) if (past?.whose === "ours" && !keepsOwn) this.slots.delete(id);
    const over = [...this.slots].filter(([, slot]) => slot.past !== undefined && !this.isUndecided(slot));
    // What was answered last is what is spoken of, whenever it was asked.
    over.sort(([, a], [, b]) => (a.past?.since ?? 0) - (b.past?.since ?? 0));
    for (const [id] of over.slice(0, Math.max(0, over.length - kept))) this.slots.delete(id);
  }

  /** Answered here, as far as is known: it comes back only if someone else was quicker. */
  private isUndecided({ past }: Slot): boolean {
    return past?.whose === "not known yet" && !this.options.keepsOwn;
  }

  private sendFocusHome(): void {
    const [next] = this.cards;
    if (next) next.arrive();
    else this.options.home?.focus();
  }
}

function hasNoMouse(): boolean {
  return matchMedia("(hover: none)").matches;
}
