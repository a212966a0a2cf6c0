/** What a program wrote, with its colours: grows at its end, and what was drawn is not touched again. */
import { element } from "../dom/dom";
import { CHUNK_LINES } from "../markdown/code-chunks";
import { AnsiReader, type Piece } from "./ansi";

/** A part of the line that is being written: what to take away when it is written over. */
type Written = { node: Text; from: number; holder: Node };

export class OutputText {
  readonly root = element("code", "output-text");
  private readonly reader = new AnsiReader();
  private chunk: HTMLElement | undefined;
  private lines = 0;
  private line: Written[] = [];
  /** The text that plain words can be added to. */
  private last: Text | undefined;

  append(text: string): void {
    for (const piece of this.reader.read(text)) {
      if (piece === "rewind") this.rewind();
      else this.write(piece);
    }
  }

  private write({ text, look }: Exclude<Piece, "rewind">): void {
    let from = 0;
    while (from < text.length) {
      const to = this.endOfChunk(text, from);
      this.add(text.slice(from, to), look);
      from = to;
      if (this.lines >= CHUNK_LINES) this.close();
    }
  }

  /** As much as fits into the chunk, counting its lines. */
  private endOfChunk(text: string, from: number): number {
    let to = from;
    while (this.lines < CHUNK_LINES) {
      const end = text.indexOf("\n", to);
      if (end < 0) return text.length;
      this.lines += 1;
      to = end + 1;
    }
    return to;
  }

  private add(text: string, look: string): void {
    this.chunk ??= this.newChunk();
    const begin = look === "" && this.last ? this.last.length : 0;
    const node = begin > 0 && this.last ? this.last : document.createTextNode("");
    node.appendData(text);
    const holder = look === "" ? node : element("span", look, node);
    if (begin === 0) this.chunk.append(holder);
    this.last = look === "" ? node : undefined;
    const end = text.lastIndexOf("\n");
    if (end >= 0) this.line = [];
    this.line.push({ node, from: begin + end + 1, holder });
  }

  private rewind(): void {
    for (const { node, from, holder } of this.line) {
      if (from < node.length) node.deleteData(from, node.length - from);
      if (node.length === 0) (holder as ChildNode).remove();
    }
    this.line = [];
    this.last = undefined;
  }

  private newChunk(): HTMLElement {
    const made = element("span", "code-chunk");
    this.root.append(made);
    return made;
  }

  private close(): void {
    this.chunk?.classList.add("whole");
    this.chunk = undefined;
    this.last = undefined;
    this.line = [];
    this.lines = 0;
  }
}
