/** All sessions that live, side by side: only their summaries, so that many cost little. */
import type { PermissionRequest, SessionId, SessionListItem, SessionStatus } from "../contract";
import type { Glances } from "../directory/glances";
import { arrange, element, setText } from "../dom/dom";
import type { PageFrame } from "../overview/page-frame";
import type { Desk } from "../permissions/desk";
import { enteringOrder, hasEnded, isLive, keptOrder } from "./wall-model";
import { type TileActions, WallTile } from "./wall-tile";

export type WallModel = {
  sessions: readonly SessionListItem[];
  statuses: ReadonlyMap<SessionId, SessionStatus>;
  projectNameOf(session: SessionListItem): string | undefined;
  waitingIn(sessionId: SessionId): PermissionRequest[];
  /** Whether it was made since this page is connected. */
  isNew(sessionId: SessionId): boolean;
  desk: Desk;
  isLoaded: boolean;
};

export class WallView {
  private readonly grid = element("div", "wall-grid");
  private readonly empty = element("div", "page-empty");
  private readonly tiles = new Map<SessionId, WallTile>();
  private order: SessionId[] | undefined;
  /** Since it was entered. That an agent is gone may be told before that its session has ended. */
  private readonly seen = new Set<SessionId>();

  constructor(
    private readonly frame: PageFrame,
    private readonly glances: Glances,
    private readonly actions: TileActions,
  ) {
    this.empty.append(
      element("p", "page-empty-title", "No session is live"),
      element(
        "p",
        "page-empty-text",
        "Sessions whose agents run are shown here, side by side. Start or resume one.",
      ),
    );
    frame.content.append(this.grid, this.empty);
  }

  /** It is looked at anew: those that need someone may come first again. */
  enter(): void {
    this.order = undefined;
    this.seen.clear();
    for (const tile of this.tiles.values()) tile.enter();
  }

  render(model: WallModel): void {
    const live = model.sessions.filter(
      (session) =>
        isLive(session, model.statuses.get(session.sessionId), model.isNew(session.sessionId)) ||
        hasEnded(session, this.seen),
    );
    // Before everything is known, no order is settled.
    const order = this.order ? keptOrder(this.order, live) : enteringOrder(live);
    if (model.isLoaded) this.order = order;
    const byId = new Map(live.map((session) => [session.sessionId, session]));
    for (const id of this.tiles.keys()) if (!byId.has(id)) this.tiles.delete(id);
    for (const id of byId.keys()) this.seen.add(id);
    const now = Date.now();
    const roots = order.flatMap((id) => {
      const session = byId.get(id);
      return session ? [this.renderTile(session, model, now)] : [];
    });
    arrange(this.grid, roots);
    setText(this.frame.count, roots.length === 0 ? "" : String(roots.length));
    this.frame.loading.hidden = roots.length > 0 || model.isLoaded;
    this.empty.hidden = roots.length > 0 || !model.isLoaded;
  }

  private renderTile(session: SessionListItem, model: WallModel, now: number): HTMLElement {
    const { sessionId } = session;
    const tile = this.tiles.get(sessionId) ?? new WallTile(session, this.actions);
    this.tiles.set(sessionId, tile);
    tile.render({
      session,
      project: model.projectNameOf(session),
      status: model.statuses.get(sessionId),
      glance: this.glances.of(sessionId),
      trace: this.glances.traceOf(sessionId),
      waiting: model.waitingIn(sessionId),
      desk: model.desk,
      now,
    });
    return tile.root;
  }
}
