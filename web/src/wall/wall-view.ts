/**
 * All sessions that live, side by side: only their summaries, so that many cost little.
 *
 * While one tile is pointed at or a card has the focus, no tile moves: what is asked meanwhile is told by the colour and the
 * words of its tile, and comes up when the pointer goes elsewhere.
 */
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
  isLive: boolean;
};

export class WallView {
  private readonly grid = element("div", "wall-grid");
  private readonly empty = element("div", "page-empty");
  private readonly tiles = new Map<SessionId, WallTile>();
  private order: SessionId[] | undefined;
  /** Since it was entered. That an agent is gone may be told before that its session has ended. */
  private readonly seen = new Set<SessionId>();
  private model: WallModel | undefined;
  private pointedAt: Element | null = null;
  private isHeld = false;

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
    this.grid.addEventListener("pointerover", ({ pointerType, target }) => {
      this.point(pointerType === "mouse" ? (target as Element).closest(".tile") : null);
    });
    this.grid.addEventListener("pointerleave", () => this.point(null));
  }

  /** It is looked at anew: those that need someone may come first again. */
  enter(): void {
    this.order = undefined;
    this.seen.clear();
    this.pointedAt = null;
    for (const tile of this.tiles.values()) tile.enter();
  }

  render(model: WallModel): void {
    this.model = model;
    this.holdOrLetGo();
    const live = model.sessions.filter((session) => this.isOnIt(session, model));
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

  /** Between two tiles everything may take its place. */
  private point(tile: Element | null): void {
    if (tile === this.pointedAt) return;
    this.pointedAt = null;
    if (this.model) this.render(this.model);
    this.pointedAt = tile;
  }

  private holdOrLetGo(): void {
    const isHeld = this.pointedAt !== null || this.grid.querySelector(".permission:focus-within") !== null;
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    const tiles = [...this.tiles.values()];
    const heights = isHeld ? tiles.map(({ root }) => root.getBoundingClientRect().height) : [];
    for (const [at, tile] of tiles.entries()) {
      if (isHeld) tile.hold(heights[at] ?? 0);
      else tile.letGo();
    }
  }

  /** While nothing may move, those that are there stay, and new ones wait. */
  private isOnIt(session: SessionListItem, { statuses, isNew }: WallModel): boolean {
    const { sessionId } = session;
    if (this.isHeld) return this.tiles.has(sessionId);
    return isLive(session, statuses.get(sessionId), isNew(sessionId)) || hasEnded(session, this.seen);
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
      isLive: model.isLive,
      isHeld: this.isHeld,
    });
    return tile.root;
  }
}
