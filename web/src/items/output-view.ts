/** The output of a call: its end or its beginning at first, all of it when asked for, and as it grows. */
import { copyButton } from "../dom/copyable";
import { button, element, setText } from "../dom/dom";
import { byteSize, counted } from "../text/amount-text";
import { plainOutput } from "./ansi";
import { firstLinesTo, LineCount, lastLinesFrom } from "./output-fold";
import { OutputText } from "./output-text";
import { growth } from "./text-growth";

export type OutputPart = "first lines" | "last lines";

export class OutputView {
  readonly root = element("section", "tool-part output");
  private readonly box = element("pre", "code output-box");
  private readonly size = element("span", "output-size");
  private readonly all: HTMLButtonElement;
  private readonly lines = new LineCount();
  private text = new OutputText();
  private output = "";
  /** What is shown: from here on, up to there. */
  private from = 0;
  private to = Number.POSITIVE_INFINITY;
  private isWhole = false;

  /** `whole` is all of the output, where what is shown may be shortened. */
  constructor(
    private readonly part: OutputPart,
    whole: () => string | Promise<string> = () => this.output,
  ) {
    this.root.dataset.part = "output";
    this.box.tabIndex = 0;
    this.box.setAttribute("aria-label", "Output");
    this.all = button("", "quiet output-all", () => this.showAll());
    this.all.dataset.part = part;
    const copy = copyButton("Copy output", () => plainText(whole()));
    const head = element(
      "header",
      "tool-part-head",
      element("h3", "tool-part-title", "Output"),
      this.size,
      copy,
    );
    const body = part === "last lines" ? [this.all, this.box] : [this.box, this.all];
    this.root.append(head, ...body);
    this.begin();
  }

  update(output: string | undefined, isError: boolean): void {
    this.root.hidden = output === undefined;
    this.root.dataset.error = String(isError);
    const change = growth(this.output, output ?? "");
    if (change.kind === "same") return;
    const isMore = change.kind === "append" && this.output !== "";
    this.output = output ?? "";
    if (isMore) this.grow(change.suffix);
    else this.begin();
    this.drawSize(this.lines.update(this.output, isMore));
  }

  private showAll(): void {
    this.isWhole = true;
    this.begin();
    this.drawSize(this.lines.update(this.output, true));
    this.box.focus({ preventScroll: true });
  }

  /** Draws it anew, from where it is shown. */
  private begin(): void {
    const isTail = this.part === "last lines";
    this.from = this.isWhole || !isTail ? 0 : lastLinesFrom(this.output);
    this.to = this.isWhole || isTail ? Number.POSITIVE_INFINITY : firstLinesTo(this.output);
    this.text = new OutputText();
    this.text.append(this.output.slice(this.from, this.to));
    this.box.replaceChildren(this.text.root);
  }

  /** More than what is shown at first is only counted. */
  private grow(suffix: string): void {
    const begin = this.output.length - suffix.length;
    if (this.to >= this.output.length) this.text.append(suffix);
    else if (this.to > begin) this.text.append(suffix.slice(0, this.to - begin));
  }

  private drawSize(lines: number): void {
    const isShort = this.from === 0 && this.to >= this.output.length;
    const size = `${counted(lines, "line")} · ${byteSize(this.output.length)}`;
    this.all.hidden = isShort;
    setText(this.all, `Show all ${size}`);
    setText(
      this.size,
      isShort ? (lines > 8 ? size : "") : `${this.part === "last lines" ? "Last" : "First"} lines`,
    );
  }
}

function plainText(output: string | Promise<string>): string | Promise<string> {
  return typeof output === "string" ? plainOutput(output) : output.then(plainOutput);
}
