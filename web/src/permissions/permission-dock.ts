/** The waiting permissions of the open session, between transcript and composer so that they are always in sight. */
import type { PermissionId, PermissionRequest, SessionId } from "../contract";
import { type AnswerPermission, CardList } from "./card-list";
import { type Desk, emptyDesk } from "./desk";

export type { AnswerPermission };

export class PermissionDock {
  private readonly list: CardList;
  private openId: SessionId | undefined;
  private desk = emptyDesk;

  constructor(answered: AnswerPermission) {
    this.list = new CardList("permissions", answered, { kept: 1 });
  }

  get root(): HTMLElement {
    return this.list.root;
  }

  /** What is known besides what waits; drawn with the next render. */
  show(desk: Desk): void {
    this.desk = desk;
  }

  render(requests: PermissionRequest[], openId: SessionId | undefined): void {
    if (openId !== this.openId) this.list.clear();
    this.openId = openId;
    this.list.render(requests, this.desk);
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
}
