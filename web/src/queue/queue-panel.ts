/** The messages that wait, above the composer: always as the server tells them, and before it those that it does not have yet. */
import type { SessionId, TurnId } from "../contract";
import { arrange, button, element, setText } from "../dom/dom";
import { type QueueEntry, queueEntries, queueHeading, type Waiting } from "./queue-entries";
import { type Beside, besideAt, placeBeside } from "./queue-order";
import { QueueRow, type QueueRowActions } from "./queue-row";

export type QueueActions = QueueRowActions & {
  move(turnId: TurnId, order: TurnId[], to: number): void;
  resume(): void;
  /** What was being changed began meanwhile, or somebody took it away: its new text is not lost. */
  orphaned(text: string, hasBegun: boolean): void;
};

export type QueueModel = Waiting & { sessionId: SessionId; isRunning: boolean; running?: TurnId | undefined };

export class QueuePanel {
  readonly root = element("section", "queue");
  private readonly heading = element("h2", "dock-heading");
  private readonly list = element("ol", "waiting-list");
  private readonly resume: HTMLButtonElement;
  private readonly rows = new Map<string, QueueRow>();
  /** Those of other sessions are kept too: what is being changed in one is there when its reader comes back. */
  private readonly sessions = new Map<string, SessionId>();
  private order: TurnId[] = [];

  constructor(private readonly actions: QueueActions) {
    this.root.setAttribute("aria-label", "What waits");
    this.resume = button("Resume queue", "quiet", () => actions.resume());
    this.resume.title = "Send what is paused, in this order";
    this.root.append(element("div", "dock-head", this.heading, this.resume), this.list);
    this.root.hidden = true;
  }

  render(model: QueueModel): void {
    const entries = queueEntries(model);
    this.forget(model, new Set(entries.map(({ id }) => id)));
    this.order = model.queued.map(({ turnId }) => turnId);
    arrange(
      this.list,
      entries.map((entry) => this.draw(entry, model)),
    );
    this.root.hidden = entries.length === 0;
    setText(this.heading, queueHeading(entries));
    this.resume.hidden = !entries.some(({ state }) => state === "paused");
    this.resume.disabled = !model.isLive;
  }

  get isEmpty(): boolean {
    return this.root.hidden;
  }

  hide(): void {
    this.root.hidden = true;
  }

  focus(): void {
    const first = this.list.querySelector<HTMLElement>("[data-waiting]")?.dataset.waiting;
    if (first !== undefined) this.rows.get(first)?.focus();
  }

  private draw(entry: QueueEntry, { isRunning, isLive, sessionId }: QueueModel): HTMLElement {
    const row = this.rows.get(entry.id) ?? this.add(entry.id);
    this.sessions.set(entry.id, sessionId);
    row.render({ entry, isRunning, canMove: entry.isTurn && isLive && this.order.length > 1 });
    return row.root;
  }

  private add(id: string): QueueRow {
    const row = new QueueRow(id, this.actions);
    row.handle.addEventListener("keydown", (event) => this.moveByKey(event, id));
    row.handle.addEventListener("pointerdown", (event) => this.drag(event, row));
    this.rows.set(id, row);
    return row;
  }

  private forget({ sessionId, running }: QueueModel, known: ReadonlySet<string>): void {
    for (const [id, row] of this.rows) {
      if (known.has(id) || this.sessions.get(id) !== sessionId) continue;
      this.rows.delete(id);
      this.sessions.delete(id);
      this.actions.editing(id, false);
      if (row.unsaved !== undefined) this.actions.orphaned(row.unsaved, id === running);
    }
  }

  /** The message that has the focus, where the server has it and its place can be changed. */
  get focused(): TurnId | undefined {
    const row = document.activeElement?.closest<HTMLElement>("[data-waiting]");
    return this.order.find((id) => id === row?.dataset.waiting);
  }

  /** False where it is at the end already. */
  moveBy(id: TurnId, step: -1 | 1): boolean {
    const to = this.order.indexOf(id) + step;
    if (to < 0 || to >= this.order.length) return false;
    this.actions.move(id, this.order, to);
    return true;
  }

  private moveByKey(event: KeyboardEvent, id: string): void {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : undefined;
    if (event.altKey || step === undefined || !this.moveBy(id, step)) return;
    event.preventDefault();
  }

  private drag(event: PointerEvent, row: QueueRow): void {
    if (event.button !== 0) return;
    event.preventDefault();
    const { handle } = row;
    let beside: Beside | undefined;
    handle.setPointerCapture(event.pointerId);
    row.root.dataset.dragged = "true";
    const moved = ({ clientY }: PointerEvent) => {
      const middles = this.order.map((id) => middleOf(this.rows.get(id)?.root));
      beside = besideAt(this.order, middles, row.id, clientY);
      this.markDrop(beside);
    };
    const ended = () => {
      handle.removeEventListener("pointermove", moved);
      handle.removeEventListener("pointercancel", cancelled);
      delete row.root.dataset.dragged;
      this.markDrop(undefined);
      if (beside) this.moveBeside(row.id, beside);
    };
    const cancelled = () => {
      beside = undefined;
    };
    handle.addEventListener("pointermove", moved);
    handle.addEventListener("pointercancel", cancelled);
    handle.addEventListener("lostpointercapture", ended, { once: true });
  }

  private moveBeside(id: TurnId, beside: Beside): void {
    const to = placeBeside(this.order, id, beside);
    if (to !== undefined) this.actions.move(id, this.order, to);
  }

  private markDrop(beside: Beside | undefined): void {
    for (const [id, { root }] of this.rows) {
      if (beside?.turnId === id) root.dataset.drop = beside.side;
      else delete root.dataset.drop;
    }
  }
}

function middleOf(root: HTMLElement | undefined): number {
  const box = root?.getBoundingClientRect();
  return box ? box.top + box.height / 2 : 0;
}
