/** Where a directory is written, with those that begin so offered beneath. */
import { element } from "../dom/dom";

export type OfferDirectories = (written: string) => Promise<string[]>;

/** Who types fast is not answered in between. */
const TYPING_MS = 150;

let inputs = 0;

export class DirectoryInput {
  readonly root = element("input", "field-input");
  readonly offered = element("datalist", "");
  private typing: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly offer: OfferDirectories) {
    inputs += 1;
    this.offered.id = `offered-directories-${inputs}`;
    this.root.setAttribute("list", this.offered.id);
    this.root.required = true;
    this.root.spellcheck = false;
    this.root.autocomplete = "off";
    this.root.placeholder = "/path/to/project";
    this.root.addEventListener("input", () => this.typed());
  }

  get value(): string {
    return this.root.value.trim();
  }

  /** Writes a place to begin with, and offers what lies there. */
  begin(path: string): void {
    this.root.value = path;
    void this.offerNow();
  }

  private typed(): void {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => void this.offerNow(), TYPING_MS);
  }

  private async offerNow(): Promise<void> {
    const written = this.root.value;
    const found = await this.offer(written);
    // What was typed meanwhile has an answer of its own.
    if (written !== this.root.value) return;
    this.offered.replaceChildren(
      ...found.map((path) => {
        const made = element("option", "", path);
        made.value = path;
        return made;
      }),
    );
  }
}
