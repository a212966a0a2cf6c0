/** Draws what a tool call changes in files: removed and added lines, each with its sign. */
import type { FileDiff } from "../contract";
import { element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { type DiffLine, type DiffLineKind, diffCounts, diffLines } from "./diff-text";

const SIGNS: Record<DiffLineKind, string> = { added: "+", removed: "−", same: " ", gap: "" };

export type DiffView = { root: HTMLElement; update(diffs: FileDiff[] | undefined): void };

export function diffView(): DiffView {
  const root = element("div", "diffs");
  let shown: string | undefined;
  return {
    root,
    update(diffs) {
      root.hidden = diffs === undefined || diffs.length === 0;
      // It is told again with every state of its call, and seldom changes.
      const key = JSON.stringify(diffs ?? []);
      if (key === shown) return;
      shown = key;
      root.replaceChildren(...(diffs ?? []).map(fileDiff));
    },
  };
}

function fileDiff(diff: FileDiff): HTMLElement {
  const { added, removed } = diffCounts(diff);
  const head = element(
    "figcaption",
    "diff-head",
    element("span", "diff-path", visibleLine(diff.path)),
    element("span", "diff-added", `+${added}`),
    element("span", "diff-removed", `−${removed}`),
  );
  const lines = element("div", "diff-lines", ...diffLines(diff).map(diffLine));
  lines.tabIndex = 0;
  lines.setAttribute("aria-label", `Changes of ${visibleLine(diff.path)}`);
  lines.role = "region";
  return element("figure", "diff", head, lines);
}

function diffLine({ kind, number, text }: DiffLine): HTMLElement {
  const sign = element("span", "diff-sign", SIGNS[kind]);
  const line = element("div", "diff-line", element("span", "diff-number", number), sign);
  // Hidden characters in a change must not hide.
  line.append(element("span", "diff-text", visibleLine(text.replaceAll("\t", "    "))));
  line.dataset.kind = kind;
  return line;
}
