/** The lines of a diff: number, sign and text, with the words that changed. */
import { element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import type { DiffLine, DiffLineKind, DiffPair } from "./diff-text";

const SIGNS: Record<DiffLineKind, string> = { added: "+", removed: "−", same: " ", gap: "" };

export function lineElement(line: DiffLine): HTMLElement {
  if (line.kind === "gap") return gap(line);
  const made = element(
    "div",
    "diff-line",
    number(line.before),
    number(line.after),
    sign(line.kind),
    text(line),
  );
  made.dataset.kind = line.kind;
  return made;
}

/** Before on the left, after on the right. */
export function pairElement({ before, after }: DiffPair): HTMLElement {
  if (before?.kind === "gap") return gap(before);
  return element("div", "diff-pair", half(before, before?.before), half(after, after?.after));
}

function half(line: DiffLine | undefined, at: number | undefined): HTMLElement {
  const made = element("div", "diff-line");
  made.dataset.kind = line?.kind ?? "none";
  if (line) made.append(number(at), sign(line.kind), text(line));
  return made;
}

function gap(line: DiffLine): HTMLElement {
  const made = element("div", "diff-line", element("span", "diff-text", visibleLine(line.text)));
  made.dataset.kind = "gap";
  return made;
}

function number(at: number | undefined): HTMLElement {
  return element("span", "diff-number", at === undefined ? "" : String(at));
}

function sign(kind: DiffLineKind): HTMLElement {
  const made = element("span", "diff-sign", SIGNS[kind]);
  if (kind === "same") return made;
  made.role = "img";
  made.setAttribute("aria-label", kind);
  return made;
}

function text({ text, words }: DiffLine): HTMLElement {
  const parts = words?.map(({ text, isChanged }) => {
    return isChanged ? element("mark", "diff-word", shown(text)) : shown(text);
  });
  return element("span", "diff-text", ...(parts ?? [shown(text)]));
}

/** Hidden characters in a change must not hide. */
function shown(text: string): string {
  return visibleLine(text.replaceAll("\t", "    "));
}
