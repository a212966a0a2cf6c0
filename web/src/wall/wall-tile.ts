/** One session on the wall. Made once and changed in place. */
import type { PermissionRequest, SessionGlance, SessionListItem, SessionStatus } from "../contract";
import type { ActivityTrace } from "../directory/activity-trace";
import { button, element, setText } from "../dom/dom";
import { type AnswerPermission, CardList } from "../permissions/card-list";
import type { Desk } from "../permissions/desk";
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

  render(model: TileModel): void {
    const { session, glance } = model;
    const { kind, text } = tileLine(glance, session);
    setText(this.title, visibleName(session.title));
    setText(this.origin, [model.project, session.cliType].filter(Boolean).join(" · "));
    this.activity.update(session);
    this.root.dataset.activity = standing(session, false).kind;
    setText(this.line, text === "" ? "Nothing said yet" : visibleLine(text));
    // What waits says itself what it is about.
    this.line.hidden = model.waiting.length > 0;
    this.line.dataset.kind = text === "" ? "none" : kind;
    setText(this.elapsed, elapsed(glance, model.now));
    setText(this.usage, usageWords(model.status?.usage));
    this.spark.update(model.trace.steps(model.now));
    this.stop.disabled = session.activity !== "running" && session.activity !== "permission";
    this.resume.hidden = session.status !== "dead";
    this.cards.render(model.waiting, model.desk);
  }
}
