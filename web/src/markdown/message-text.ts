/**
 * The text of a message: Markdown, or as it was written where Markdown would not do.
 *
 * What is enormous is shown plain until someone asks for more: nobody reads that much as prose. What is long and comes at once
 * is drawn from its beginning over several frames.
 */
import { button, element } from "../dom/dom";
import { growText } from "../items/text-growth";
import { inertText } from "../text/inert-text";
import { drawOverFrames } from "./draw-over-frames";
import { MarkdownView } from "./markdown-view";

const MOST_CHARACTERS = 512 * 1024;
const MOST_LINES = 20_000;
/** So much is drawn before anybody looks at the clock. */
const PIECE = 4 * 1024;

export class MessageText {
  readonly root = element("div", "text");
  private markdown: MarkdownView | undefined;
  private plain: Text | undefined;
  private content = "";
  /** How much of it is drawn as Markdown. */
  private shown = "";
  private isFinal = false;
  private isWanted = false;

  /** Markdown, in pieces that may still grow. */
  update(content: string, isFinal: boolean): void {
    this.content = content;
    this.isFinal = isFinal;
    if (this.isWanted || !isEnormous(content)) this.drawMarkdown();
    else this.drawPlain();
  }

  private drawMarkdown(): void {
    if (!this.markdown) {
      this.markdown = new MarkdownView();
      this.plain = undefined;
      this.shown = "";
      this.root.replaceChildren(this.markdown.root);
    }
    if (!this.content.startsWith(this.shown)) this.shown = "";
    drawOverFrames(this.drawPiece);
  }

  private readonly drawPiece = (): boolean => {
    const end = pieceEnd(this.content, this.shown.length);
    const hasMore = end < this.content.length;
    this.shown = this.content.slice(0, end);
    this.markdown?.update(this.shown, this.isFinal && !hasMore);
    return hasMore && this.markdown !== undefined;
  };

  private drawPlain(): void {
    if (!this.plain) {
      this.plain = document.createTextNode("");
      this.markdown = undefined;
      const show = button("Show as Markdown", "quiet show-markdown", () => {
        this.isWanted = true;
        this.drawMarkdown();
      });
      const box = element("pre", "code", this.plain);
      box.tabIndex = 0;
      box.setAttribute("aria-label", "Message as plain text");
      this.root.replaceChildren(show, box);
    }
    growText(this.plain, inertText(this.content));
  }
}

/** Where the next piece ends: after a whole line, if there is one. */
export function pieceEnd(content: string, from: number): number {
  const most = from + PIECE;
  if (most >= content.length) return content.length;
  const line = content.lastIndexOf("\n", most - 1) + 1;
  return line > from ? line : most;
}

export function isEnormous(content: string): boolean {
  if (content.length > MOST_CHARACTERS) return true;
  // As many characters as lines are the least it takes, which spares counting most of the time.
  if (content.length <= MOST_LINES) return false;
  let lines = 1;
  for (let at = content.indexOf("\n"); at >= 0; at = content.indexOf("\n", at + 1)) lines += 1;
  return lines > MOST_LINES;
}
