/** What was decided lately: what, where, when, and by whom. */
import type { PermissionId, PermissionRequest, SessionId } from "../contract";
import { arrange, element, setText } from "../dom/dom";
import { decisionWord, detailLines, kindOf, whereWords } from "../permissions/permission-outcome";
import { requestLine } from "../permissions/request-content";
import { sessionHash } from "../route";
import { ago } from "../text/time-text";
import { visibleLine } from "../text/visible-text";

export type DecisionListModel = {
  decisions: readonly PermissionRequest[];
  titleOf(sessionId: SessionId): string;
  now: Date;
};

/** More are on the server; nobody reads that far down here. */
const SHOWN = 100;

type Row = { root: HTMLElement; session: HTMLAnchorElement; when: HTMLTimeElement };

export class DecisionList {
  readonly root = element("section", "decisions");
  private readonly list = element("ol", "decision-rows");
  private readonly rows = new Map<PermissionId, Row>();

  constructor() {
    const heading = element("h2", "inbox-section", "Decided");
    heading.id = "decided";
    this.root.setAttribute("aria-labelledby", heading.id);
    this.root.append(heading, this.list);
  }

  render({ decisions, titleOf, now }: DecisionListModel): void {
    const shown = decisions.slice(0, SHOWN);
    this.root.hidden = shown.length === 0;
    const known = new Set(shown.map(({ permissionId }) => permissionId));
    for (const id of this.rows.keys()) if (!known.has(id)) this.rows.delete(id);
    const elements = shown.map((request) => {
      const row = this.rowOf(request);
      setText(row.session, titleOf(request.sessionId));
      setText(row.when, ago(request.resolvedAt ?? request.askedAt, now));
      return row.root;
    });
    arrange(this.list, elements);
  }

  private rowOf(request: PermissionRequest): Row {
    const known = this.rows.get(request.permissionId);
    if (known) return known;
    const row = makeRow(request);
    this.rows.set(request.permissionId, row);
    return row;
  }
}

function makeRow(request: PermissionRequest): Row {
  const word = element("span", "decision-word", visibleLine(decisionWord(request)));
  word.dataset.decision = kindOf(request);
  const what = element("span", "decision-what", visibleLine(requestLine(request)));
  what.title = visibleLine(requestLine(request));
  const session = element("a", "decision-session");
  session.href = sessionHash(request.sessionId);
  const when = element("time", "decision-when");
  when.dateTime = request.resolvedAt ?? request.askedAt;
  const by = element("span", "decision-by", visibleLine(whereWords(request)));
  const said = detailLines(request).map((line) => element("p", "decision-said", visibleLine(line)));
  const facts = element("span", "decision-facts", session, by, when);
  const root = element("li", "decision-row", word, what, facts, ...said);
  root.dataset.permissionId = request.permissionId;
  return { root, session, when };
}
