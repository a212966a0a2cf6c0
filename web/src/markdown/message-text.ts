/**
 * The text of a message: Markdown, or as it was written where Markdown would not do.
 *
 * What is enormous is shown plain until someone asks for more: nobody reads that much as prose.
 */
import { button, element } from "../dom/dom";
import { growText } from "../items/text-growth";
import { MarkdownView } from "./markdown-view";

const MOST_CHARACTERS = 512 * 1024;
const MOST_LINES = 20_000;

export class MessageText {
  readonly root = element("div", "text");
  private markdown: MarkdownView | undefined;
  private plain: Text | undefined;
  private content = "";
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
      this.root.replaceChildren(this.markdown.root);
    }
    this.markdown.update(this.content, this.isFinal);
  }

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
    growText(this.plain, this.content);
  }
}

export function isEnormous(content: string): boolean {
  if (content.length > MOST_CHARACTERS) return true;
  // As many characters as lines are the least it takes, which spares counting most of the time.
  if (content.length <= MOST_LINES) return false;
  let lines = 1;
  for (let at = content.indexOf("\n"); at >= 0; at = content.indexOf("\n", at + 1)) lines += 1;
  return lines > MOST_LINES;
}
