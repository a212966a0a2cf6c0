/** One session on the wall. Made once and changed in place. */
import type { PermissionRequest, SessionGlance, SessionListItem, SessionStatus } from "../contract";
import type { ActivityTrace } from "../directory/activity-trace";
import { button, element, setText } from "../dom/dom";
import { type AnswerPermission, CardList } from "../permissions/card-list";
import type { Desk } from "../permissions/desk";
import { requestLine } from "../permissions/request-content";
import { sessionHash } from "../route";
import { activityLabel, standing } from "../sidebar/activity-label";
import type { Watched } from "../stall/stall-watch";
import { visibleLine, visibleName } from "../text/visible-text";
import { sparkline } from "./sparkline";
import { elapsed, tileLine, usageWords } from "./wall-model";

export type TileModel = {
  session: Watched;
  project: string | undefined;
  status: SessionStatus | undefined;
  glance: SessionGlance | undefined;
  trace: ActivityTrace;
  waiting: PermissionRequest[];
  desk: Desk;
  now: number;
  /** Whether there is a connection: without one nothing can be asked of the session. */
  isLive: boolean;
  /** Whether it must keep its size: what is new waits, and what is over leaves its room. */
  isHeld: boolean;
};

export type TileActions = {
  answered: AnswerPermission;
  stop(session: SessionListItem): void;
  resume(session: SessionListItem): void;
};

export class WallTile {
  readonly root = element("article", "tile");
  private readonly title = element("a", "tile-title");
  private readonly origin = element("span", "tile-origin");
  private readonly activity = activityLabel();
  private readonly line = element("p", "tile-line");
  private readonly elapsed = element("span", "tile-elapsed");
  private readonly usage = element("span", "tile-usage");
  private readonly spark = sparkline();
  private readonly stop: HTMLButtonElement;
  /** Not where "Stop" is: whoever presses that twice means nothing else. */
  private readonly resume: HTMLButtonElement;
  private readonly cards: CardList;
  private shown: PermissionRequest[] = [];

  constructor(session: SessionListItem, actions: TileActions) {
    this.root.dataset.sessionId = session.sessionId;
    this.title.href = sessionHash(session.sessionId);
    this.stop = button("Stop", "quiet tile-stop", () => actions.stop(session));
    this.resume = button("Resume", "quiet tile-resume", () => actions.resume(session));
    this.cards = new CardList("tile-cards", actions.answered, { kept: 1, keepsOwn: false, home: this.title });
    const facts = element("div", "tile-facts", this.activity.root, this.elapsed, this.usage);
    this.root.append(
      element("header", "tile-head", this.title, this.origin),
      this.line,
      this.cards.root,
      element("footer", "tile-foot", facts, this.spark.root, this.resume, this.stop),
    );
  }

  /** It is looked at anew. */
  enter(): void {
    this.cards.enter();
  }

  /** As high as it is, whatever happens in it. */
  hold(height: number): void {
    this.root.style.setProperty("min-height", `${height}px`);
  }

  letGo(): void {
    this.root.style.removeProperty("min-height");
  }

  render(model: TileModel): void {
    const { session, glance } = model;
    this.shown = model.isHeld ? model.waiting.filter((one) => this.isShown(one)) : model.waiting;
    const { kind, text } = this.heldBack(model) ?? tileLine(glance, session);
    setText(this.title, visibleName(session.title));
    setText(this.origin, [model.project, session.cliType].filter(Boolean).join(" · "));
    this.activity.update(session);
    this.root.dataset.activity = standing(session, false).kind;
    setText(this.line, text === "" ? "Nothing said yet" : visibleLine(text));
    this.line.dataset.kind = text === "" ? "none" : kind;
    setText(this.elapsed, elapsed(glance, model.now));
    setText(this.usage, usageWords(model.status?.usage));
    this.spark.update(model.trace.steps(model.now));
    const isBusy = session.activity === "running" || session.activity === "permission";
    this.stop.dataset.needed = String(isBusy);
    this.stop.disabled = !isBusy || !model.isLive;
    this.resume.hidden = session.status !== "dead";
    this.resume.disabled = !model.isLive;
    this.cards.render(this.shown, model.desk);
    if (!model.isHeld) this.shape();
  }

  /** What waits and cannot come up yet. */
  private heldBack({ waiting }: TileModel): { kind: string; text: string } | undefined {
    const held = waiting.find((one) => !this.shown.includes(one));
    return held && { kind: "line", text: `Needs your answer: ${requestLine(held)}` };
  }

  /** What makes it higher or lower, and others go elsewhere. */
  private shape(): void {
    const asks = this.shown.length > 0;
    // What waits says itself what it is about.
    this.line.hidden = asks;
    this.root.dataset.asks = String(asks);
  }

  private isShown({ permissionId }: PermissionRequest): boolean {
    return this.shown.some((one) => one.permissionId === permissionId);
  }
}
