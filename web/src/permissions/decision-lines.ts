/** What was decided about an item, at the item itself, so that it can be read there for good. */
import type { PermissionId, PermissionRequest } from "../contract";
import { element } from "../dom/dom";
import { clock } from "../text/time-text";
import { visibleLine } from "../text/visible-text";
import { decisionWord, detailLines, kindOf, whereWords } from "./permission-outcome";

export class DecisionLines {
  private readonly lines = new Map<PermissionId, HTMLElement>();
  private decisions: readonly PermissionRequest[] = [];

  get isEmpty(): boolean {
    return this.decisions.length === 0;
  }

  /** False when nothing is new. */
  show(decisions: readonly PermissionRequest[]): boolean {
    const { decisions: before } = this;
    if (before.length === decisions.length && decisions.every((one, at) => one === before[at])) return false;
    this.decisions = decisions;
    const known = new Set(decisions.map(({ permissionId }) => permissionId));
    for (const [id, line] of this.lines) {
      if (known.has(id)) continue;
      line.remove();
      this.lines.delete(id);
    }
    return true;
  }

  /** Puts each line where it belongs, as far as that is shown. */
  place(placeOf: (request: PermissionRequest) => Element | undefined): void {
    for (const request of this.decisions) {
      const place = placeOf(request);
      if (!place) continue;
      const line = this.lineOf(request);
      if (line.parentElement !== place) place.append(line);
    }
  }

  private lineOf(request: PermissionRequest): HTMLElement {
    const known = this.lines.get(request.permissionId);
    if (known) return known;
    const facts = [whereWords(request), clock(request.resolvedAt ?? request.askedAt)];
    const line = element(
      "p",
      "decision-line",
      element("span", "decision-word", visibleLine(decisionWord(request))),
      element("span", "decision-facts", visibleLine(facts.filter((fact) => fact !== "").join(" · "))),
      ...detailLines(request).map((said) => element("span", "decision-said", visibleLine(said))),
    );
    (line.firstElementChild as HTMLElement).dataset.decision = kindOf(request);
    this.lines.set(request.permissionId, line);
    return line;
  }
}
