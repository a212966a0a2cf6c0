/**
 * The waiting permissions of the open session, between transcript and composer so that they are always in sight.
 *
 * Its lower edge has a fixed place: the oldest request stands there, and newer ones above it, where they move nothing that
 * someone may be about to press. What does not fit is scrolled to from that edge, too.
 */
import type { PermissionId, PermissionRequest, SessionId } from "../contract";
import { arrange, element } from "../dom/dom";
import { type AnswerPermission, CardList } from "./card-list";
import { type Desk, emptyDesk } from "./desk";

export type { AnswerPermission };

export class PermissionDock {
  readonly root = element("div", "permission-dock");
  /** Of the session in sight, and of those where something waits: what was half written there stays. */
  private readonly lists = new Map<SessionId | undefined, CardList>();
  private openId: SessionId | undefined;
  private desk = emptyDesk;

  constructor(private readonly answered: AnswerPermission) {}

  /** What is known besides what waits; drawn with the next render. */
  show(desk: Desk): void {
    this.desk = desk;
  }

  render(requests: PermissionRequest[], openId: SessionId | undefined): void {
    if (openId !== this.openId) this.leave();
    const isNew = openId !== this.openId;
    this.openId = openId;
    this.list.render(requests, this.desk);
    if (isNew) for (const card of this.list.cards) card.comeUp();
    arrange(this.root, [this.list.root]);
    // Another session: what was scrolled to was in the one before.
    if (isNew) this.root.scrollTop = 0;
  }

  /** Another turn began: what was answered before is over. */
  forgetPast(): void {
    this.list.forgetPast();
  }

  /** False when it is not shown here. */
  focus(permissionId: PermissionId): boolean {
    const card = this.list.cardOf(permissionId);
    card?.focus();
    return card !== undefined;
  }

  private get list(): CardList {
    const known = this.lists.get(this.openId);
    if (known) return known;
    const made = new CardList("permissions", this.answered, {
      kept: 1,
      keepsOwn: true,
      newestFirst: true,
    });
    this.lists.set(this.openId, made);
    return made;
  }

  private leave(): void {
    this.list.forgetPast();
    if (this.list.cards.length === 0) this.lists.delete(this.openId);
  }
}
