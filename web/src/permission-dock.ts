/** The waiting permissions of the open session, between transcript and composer so that they are always in sight. */
import type { PermissionAnswer, PermissionId, PermissionRequest } from "./contract";
import { arrange, element } from "./dom";
import { PermissionCard } from "./permission-card";

export type AnswerPermission = (request: PermissionRequest, answer: PermissionAnswer) => void;

export class PermissionDock {
  readonly root = element("div", "permissions");
  private readonly cards = new Map<PermissionId, PermissionCard>();

  constructor(private readonly answered: AnswerPermission) {}

  render(requests: PermissionRequest[]): void {
    const waiting = new Set(requests.map((request) => request.permissionId));
    for (const permissionId of this.cards.keys())
      if (!waiting.has(permissionId)) this.cards.delete(permissionId);
    arrange(
      this.root,
      requests.map((request) => this.cardOf(request).root),
    );
    this.root.hidden = requests.length === 0;
  }

  reopen(permissionId: PermissionId, reason: string): void {
    this.cards.get(permissionId)?.reopen(reason);
  }

  /** A lost connection may have taken answers with it. */
  reopenAll(): void {
    for (const card of this.cards.values()) card.reopen("");
  }

  private cardOf(request: PermissionRequest): PermissionCard {
    const known = this.cards.get(request.permissionId);
    if (known) return known;
    const card = new PermissionCard(request, (answer) => this.answered(request, answer));
    this.cards.set(request.permissionId, card);
    return card;
  }
}
