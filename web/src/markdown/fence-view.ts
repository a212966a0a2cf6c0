/** Draws a block of code: its language, buttons to copy and to wrap it, and its lines. */
import { copyButton } from "../dom/copyable";
import { element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { CodeChunks } from "./code-chunks";
import { highlightLater } from "./highlight-later";
import { showWrap, wrapButton } from "./wrap";

export class FenceView {
  readonly root = element("figure", "fence");
  readonly code = new CodeChunks();
  readonly language: string;

  constructor(info: string) {
    this.language = languageOf(info);
    const label = element("span", "fence-language", this.language === "" ? "text" : this.language);
    const copy = copyButton("Copy code", () => this.code.text);
    const box = element("pre", "fence-code", this.code.root);
    box.tabIndex = 0;
    box.setAttribute("aria-label", `Code: ${label.textContent}`);
    this.root.append(element("figcaption", "fence-head", label, wrapButton(), copy), box);
    showWrap(this.root);
  }

  /** The code is whole: now it is worth its colours. */
  complete(): void {
    highlightLater(this.code, this.language);
  }
}

/** The first word of what stands behind the ticks. */
function languageOf(info: string): string {
  const word = info.trim().split(/[\s,{]/, 1)[0] ?? "";
  return visibleLine(word.slice(0, 32)).toLowerCase();
}
