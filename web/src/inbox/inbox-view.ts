/** Everything that waits for a person, in one place. */
import type {
  PermissionAnswer,
  PermissionId,
  PermissionRequest,
  SessionId,
  SessionListItem,
} from "../contract";
import { oldestFirst } from "../directory/permission-index";
import { arrange, button, element, setText } from "../dom/dom";
import { WATCHED } from "../dom/still-place";
import type { PageFrame } from "../overview/page-frame";
import { type AnswerPermission, CardList } from "../permissions/card-list";
import { type Desk, decisions } from "../permissions/desk";
import { ignoreWhatMoved, JUST_MOVED } from "../permissions/moved-press";
import { optionFor } from "../permissions/option-choice";
import { requestLine } from "../permissions/request-content";
import { sessionHash } from "../route";
import { ago } from "../text/time-text";
import { visibleLine, visibleName } from "../text/visible-text";
import { DecisionList } from "./decision-list";
import { originWords, type Twins, twins, twinsLabel } from "./inbox-model";

export type InboxModel = {
  waiting: Iterable<PermissionRequest>;
  desk: Desk;
  sessionOf(sessionId: SessionId): SessionListItem | undefined;
  projectNameOf(session: SessionListItem | undefined): string | undefined;
  isLoaded: boolean;
};

/** So many that someone else answered are spoken of in their place; all are listed below. */
const KEPT = 3;

type BulkRow = { root: HTMLElement; allow: HTMLButtonElement };
type Heading = { root: HTMLElement; title: HTMLAnchorElement; origin: HTMLElement; age: HTMLElement };

export class InboxView {
  private readonly bulk = element("div", `inbox-bulk ${WATCHED}`);
  private readonly bulkNote = element("p", "inbox-bulk-note");
  private readonly empty = element("div", "page-empty");
  private readonly list: CardList;
  private readonly decided = new DecisionList();
  private groups: ReadonlyMap<string, Twins> = new Map();
  private readonly bulkRows = new Map<string, BulkRow>();
  private readonly headings = new Map<PermissionId, Heading>();

  constructor(
    private readonly frame: PageFrame,
    private readonly answered: AnswerPermission,
  ) {
    this.list = new CardList("inbox-cards", answered, {
      kept: KEPT,
      keepsOwn: false,
      home: frame.root,
      heading: (request) => this.headingOf(request).root,
    });
    this.empty.append(
      element("p", "page-empty-title", "Nothing waits for you"),
      element(
        "p",
        "page-empty-text",
        "When an agent asks for a permission or has a question, it shows up here.",
      ),
    );
    const { bulk, bulkNote, list, empty, decided } = this;
    frame.content.append(bulk, bulkNote, list.root, empty, decided.root);
    this.bulkNote.role = "status";
    ignoreWhatMoved(this.bulk, () => setText(this.bulkNote, JUST_MOVED));
    frame.root.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  /** It is looked at anew. */
  enter(): void {
    this.list.enter();
  }

  render(model: InboxModel): void {
    const waiting = oldestFirst(model.waiting);
    const now = new Date();
    setText(this.frame.count, waiting.length === 0 ? "" : String(waiting.length));
    this.frame.loading.hidden = waiting.length > 0 || model.isLoaded;
    this.empty.hidden = waiting.length > 0 || !model.isLoaded;
    this.list.render(waiting, model.desk);
    for (const id of this.headings.keys()) if (!this.list.has(id)) this.headings.delete(id);
    for (const { request } of this.list.cards) this.updateHeading(request, model, now);
    const projectOf = (request: PermissionRequest) => model.sessionOf(request.sessionId)?.projectId;
    const unsent = waiting.filter(({ permissionId }) => !model.desk.sent.has(permissionId));
    this.renderBulk(twins(unsent, projectOf));
    const titleOf = (sessionId: SessionId) => visibleName(model.sessionOf(sessionId)?.title ?? "Session");
    this.decided.render({ decisions: decisions(model.desk), titleOf, now });
  }

  /** The oldest one, or the page itself where nothing waits. */
  focusFirst(): void {
    const [first] = this.list.cards;
    if (first) first.arrive();
  }

  private renderBulk(groups: Twins[]): void {
    this.groups = new Map(groups.map((group) => [group.key, group]));
    for (const key of this.bulkRows.keys()) if (!this.groups.has(key)) this.bulkRows.delete(key);
    const rows = groups.map((group) => {
      const row = this.bulkRows.get(group.key) ?? this.addBulkRow(group);
      setText(row.allow, twinsLabel(group));
      return row.root;
    });
    arrange(this.bulk, rows);
    this.bulk.hidden = rows.length === 0;
    if (rows.length === 0) setText(this.bulkNote, "");
  }

  private addBulkRow({ key, requests }: Twins): BulkRow {
    const allow = button("", "", () => this.allowAll(key));
    const [first] = requests;
    const what = element("code", "inbox-twins-what", first ? visibleLine(requestLine(first)) : "");
    const row = { allow, root: element("div", "inbox-twins", what, allow) };
    this.bulkRows.set(key, row);
    return row;
  }

  /** None of them, where one has just come: it may not be what the label was read for. */
  private allowAll(key: string): void {
    const requests = this.groups.get(key)?.requests ?? [];
    const ready = requests.every(({ permissionId }) => this.list.cardOf(permissionId)?.isReady === true);
    if (!ready) return;
    setText(this.bulkNote, "");
    for (const request of requests) {
      const option = optionFor(request.options, "y");
      const answer: PermissionAnswer | undefined = option && { optionId: option.optionId };
      if (answer) this.answered(request, answer);
    }
  }

  private keyPressed(event: KeyboardEvent): void {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof Element && target.matches("input, textarea")) return;
    if (key === "j" || key === "k") this.step(key === "j" ? 1 : -1);
    else if (key === "Enter") this.openFocused(event);
    else return;
    if (key !== "Enter") event.preventDefault();
  }

  /** Goes to the next card, or the one before. */
  step(by: number): void {
    const { cards } = this.list;
    const at = cards.findIndex(({ root }) => root.contains(document.activeElement));
    const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), cards.length - 1);
    cards[next]?.focus();
    cards[next]?.root.scrollIntoView({ block: "nearest" });
  }

  /** A button or a link that has the focus means itself. */
  private openFocused({ target }: KeyboardEvent): void {
    const card = this.list.cards.find(({ root }) => root === target);
    if (card) location.hash = sessionHash(card.request.sessionId);
  }

  private headingOf(request: PermissionRequest): Heading {
    const title = element("a", "inbox-session");
    title.href = sessionHash(request.sessionId);
    const [origin, age] = [element("span", "inbox-origin"), element("time", "inbox-age")];
    age.dateTime = request.askedAt;
    const root = element("div", "inbox-heading", title, origin, age);
    const made = { root, title, origin, age };
    this.headings.set(request.permissionId, made);
    return made;
  }

  private updateHeading(request: PermissionRequest, model: InboxModel, now: Date): void {
    const heading = this.headings.get(request.permissionId);
    const session = model.sessionOf(request.sessionId);
    if (!heading) return;
    setText(heading.title, visibleName(session?.title ?? "Session"));
    setText(heading.origin, originWords(session, model.projectNameOf(session)));
    setText(heading.age, `asked ${ago(request.askedAt, now)}`);
  }
}
