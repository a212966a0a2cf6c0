/** The waiting permissions of the open session, between transcript and composer so that they are always in sight. */
import type { PermissionAnswer, PermissionId, PermissionRequest, SessionId } from "../contract";
import { arrange, button, element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { PermissionCard } from "./permission-card";
import { outcomeLines } from "./permission-outcome";

/** What became of a request that was shown here, until the reader or the next turn takes it away. */
type Past = { sessionId: SessionId; root: HTMLElement };

export type AnswerPermission = (request: PermissionRequest, answer: PermissionAnswer) => void;

export class PermissionDock {
  readonly root = element("div", "permissions");
  private readonly cards = new Map<PermissionId, PermissionCard>();
  private readonly answers = new Map<PermissionId, PermissionAnswer>();
  private past: Past | undefined;

  constructor(private readonly answered: AnswerPermission) {}

  render(requests: PermissionRequest[], openId: SessionId | undefined): void {
    if (this.past?.sessionId !== openId) this.past = undefined;
    const waiting = new Set(requests.map((request) => request.permissionId));
    for (const permissionId of this.cards.keys())
      if (!waiting.has(permissionId)) this.cards.delete(permissionId);
    const past = this.past ? [this.past.root] : [];
    arrange(this.root, [...past, ...requests.map((request) => this.cardOf(request).root)]);
    this.root.hidden = this.root.childElementCount === 0;
  }

  /** A request was answered, here or elsewhere: says so in place of its card. */
  resolved(request: PermissionRequest): void {
    const answer = this.answers.get(request.permissionId);
    this.answers.delete(request.permissionId);
    if (!this.cards.has(request.permissionId)) return;
    const lines = outcomeLines(request, answer).map((line) => element("p", "", visibleLine(line)));
    const title = element("p", "permission-past-title", visibleLine(request.title));
    const close = button("Dismiss", "quiet", () => this.forgetPast());
    const root = element("div", "permission-past", element("div", "", title, ...lines), close);
    this.past = { sessionId: request.sessionId, root };
  }

  /** Another turn began: what was answered before is over. */
  forgetPast(): void {
    this.past?.root.remove();
    this.past = undefined;
    this.root.hidden = this.root.childElementCount === 0;
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
    const card = new PermissionCard(request, (answer) => {
      this.answers.set(request.permissionId, answer);
      this.answered(request, answer);
    });
    this.cards.set(request.permissionId, card);
    return card;
  }
}
