/** Draws a block of code: its language, buttons to copy and to wrap it, and its lines. */
import { copyText, say } from "../dom/copyable";
import { button, element } from "../dom/dom";
import { visibleLine } from "../text/visible-text";
import { CodeChunks } from "./code-chunks";
import { highlightLater } from "./highlight-later";

export class FenceView {
  readonly root = element("figure", "fence");
  readonly code = new CodeChunks();
  readonly language: string;

  constructor(info: string) {
    this.language = languageOf(info);
    const label = element("span", "fence-language", this.language === "" ? "text" : this.language);
    const copy = button("Copy", "quiet", () => void copyText(this.code.text).then((said) => say(copy, said)));
    copy.setAttribute("aria-label", "Copy code");
    const box = element("pre", "fence-code", this.code.root);
    box.tabIndex = 0;
    box.setAttribute("aria-label", `Code: ${label.textContent}`);
    this.root.append(element("figcaption", "fence-head", label, this.wrapButton(), copy), box);
  }

  /** The code is whole: now it is worth its colours. */
  complete(): void {
    highlightLater(this.code, this.language);
  }

  private wrapButton(): HTMLButtonElement {
    const wrap = button("Wrap", "quiet", () => {
      const isWrapped = this.root.classList.toggle("wrapped");
      wrap.setAttribute("aria-pressed", String(isWrapped));
    });
    wrap.setAttribute("aria-pressed", "false");
    return wrap;
  }
}

/** The first word of what stands behind the ticks. */
function languageOf(info: string): string {
  const word = info.trim().split(/[\s,{]/, 1)[0] ?? "";
  return visibleLine(word.slice(0, 32)).toLowerCase();
}
