/** Draws what a tool call changes in files. */
import type { FileDiff } from "../contract";
import { copyButton } from "../dom/copyable";
import { button, element, setText } from "../dom/dom";
import { counted } from "../text/amount-text";
import { visibleLine } from "../text/visible-text";
import { drawLayout, isSplit, layoutButton } from "./diff-layout";
import { lineElement, pairElement } from "./diff-lines";
import { type DiffLine, diffCounts, diffLines, diffPairs } from "./diff-text";
import { patchOf } from "./patch-text";

export type DiffView = { root: HTMLElement; update(diffs: FileDiff[] | undefined): void };

/** So many lines are shown at first; a few more are not worth a button. */
const FIRST = 40;
const FEW = 12;

/** `isWhole` where all of it has to be there: whoever allows a change must be able to see it. */
export function diffView(isWhole = false): DiffView {
  const root = element("div", "diffs");
  const shown: { diff: FileDiff; key: string; root: HTMLElement }[] = [];
  return {
    root,
    update(diffs = []) {
      root.hidden = diffs.length === 0;
      for (const [at, diff] of diffs.entries()) {
        // It is told again with every state of its call, and seldom changes.
        if (shown[at]?.diff === diff) continue;
        const key = JSON.stringify(diff);
        if (shown[at]?.key === key) continue;
        const made = new FileDiffView(diff, isWhole).root;
        if (shown[at]) shown[at].root.replaceWith(made);
        else root.append(made);
        shown[at] = { diff, key, root: made };
      }
      for (const gone of shown.splice(diffs.length)) gone.root.remove();
    },
  };
}

class FileDiffView {
  readonly root = element("figure", "diff");
  private readonly body = element("div", "diff-lines");
  private readonly more: HTMLButtonElement;
  private readonly lines: DiffLine[];

  constructor(
    private readonly diff: FileDiff,
    private isWhole: boolean,
  ) {
    this.lines = diffLines(diff);
    this.more = button("", "quiet bare diff-more", () => this.showAll());
    this.body.tabIndex = 0;
    // No landmark: the same change is shown by its call and by the request to allow it.
    this.body.role = "group";
    this.body.setAttribute("aria-label", `Changes of ${visibleLine(diff.path)}`);
    this.root.append(this.head(), this.body, this.more);
    this.root.dataset.numbered = String(
      this.lines.some(({ before, after }) => (before ?? after) !== undefined),
    );
    drawLayout(this.root, () => this.draw());
  }

  private head(): HTMLElement {
    const { added, removed } = diffCounts(this.diff);
    const path = pathLine(visibleLine(this.diff.path));
    const patch = patchOf([this.diff]);
    return element(
      "figcaption",
      "diff-head",
      path,
      counter("diff-added", `+${added}`, `${counted(added, "line")} added`),
      counter("diff-removed", `−${removed}`, `${counted(removed, "line")} removed`),
      element(
        "span",
        "diff-tools",
        layoutButton(),
        ...(patch === undefined ? [] : [copyButton("Copy patch", () => patch)]),
      ),
    );
  }

  private showAll(): void {
    this.isWhole = true;
    this.draw();
    this.body.focus({ preventScroll: true });
  }

  private draw(): void {
    const isLong = !this.isWhole && this.lines.length > FIRST + FEW;
    const lines = isLong ? this.lines.slice(0, FIRST) : this.lines;
    this.root.dataset.split = String(isSplit());
    this.body.replaceChildren(...(isSplit() ? diffPairs(lines).map(pairElement) : lines.map(lineElement)));
    this.more.hidden = !isLong;
    setText(this.more, `Show ${counted(this.lines.length - FIRST, "more line", "more lines")}`);
  }
}

/** Directory and name, which give way one after the other. */
function pathLine(path: string): HTMLElement {
  const name = path.lastIndexOf("/") + 1;
  const parts = [
    element("span", "diff-directory", path.slice(0, name)),
    element("span", "diff-name", path.slice(name)),
  ];
  const line = element("span", "diff-path", ...parts);
  line.title = path;
  return line;
}

function counter(className: string, text: string, words: string): HTMLElement {
  const made = element("span", className, text);
  made.role = "img";
  made.setAttribute("aria-label", words);
  return made;
}
