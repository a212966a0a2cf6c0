/** The images of a message that is being written: picked, pasted or dropped, seen as small pictures, and taken out again. */
import type { SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { addable, IMAGE_TYPES, lostWords, sizeWords } from "./image-rules";
import type { KeptTexts } from "./kept-text";

type Picture = { file: File; url: string };

export class AttachmentTray {
  readonly root = element("div", "attachments");
  /** Opens the browser's own dialog. */
  readonly pick: HTMLButtonElement;
  private readonly input = element("input", "");
  private readonly list = element("ul", "attachment-list");
  private readonly note = element("p", "attachment-note");
  private readonly pictures = new Map<SessionId, Picture[]>();
  private sessionId: SessionId | undefined;
  private takesImages: boolean | undefined;

  /** `counts` keeps how many there were, so that a reload can tell what it lost. */
  constructor(
    private readonly counts: KeptTexts,
    private readonly changed: () => void,
  ) {
    this.input.type = "file";
    this.input.multiple = true;
    this.input.accept = IMAGE_TYPES.join(",");
    this.input.hidden = true;
    this.input.setAttribute("aria-label", "Images to add");
    this.pick = button("Add image", "quiet attach", () => this.input.click());
    this.list.setAttribute("aria-label", "Added images");
    this.note.setAttribute("aria-live", "polite");
    this.input.addEventListener("change", () => {
      this.add([...(this.input.files ?? [])]);
      this.input.value = "";
    });
    this.root.append(this.list, this.note, this.input);
    this.note.hidden = true;
    this.draw();
  }

  /** Where it is not known whether the agent takes images they are taken here, and the server has the last word. */
  show(sessionId: SessionId, takesImages: boolean | undefined): void {
    this.pick.hidden = takesImages !== true;
    this.takesImages = takesImages;
    if (sessionId === this.sessionId) return;
    this.sessionId = sessionId;
    const lost = this.pictures.has(sessionId) ? 0 : Number(this.counts.get(sessionId) ?? 0);
    this.say(lost > 0 ? lostWords(lost) : "");
    this.draw();
  }

  get files(): File[] {
    return this.here().map(({ file }) => file);
  }

  /** Hands them over to a message that is sent. */
  takeAll(): File[] {
    const { files } = this;
    this.put([]);
    this.say("");
    return files;
  }

  add(files: File[]): void {
    if (files.length === 0 || this.sessionId === undefined) return;
    if (this.takesImages === false) return this.say("This agent takes no images.");
    const { taken, refusals } = addable(this.files, files);
    this.put([...this.here(), ...taken.map(pictureOf)], false);
    this.say(refusals.join(" "));
  }

  /** Those of a message that was refused stand before what was added since, in their own session, and none is left out. */
  giveBack(sessionId: SessionId, files: File[]): void {
    if (files.length === 0) return;
    this.keep(sessionId, [...files.map(pictureOf), ...(this.pictures.get(sessionId) ?? [])]);
    this.draw();
    this.changed();
  }

  private here(): Picture[] {
    return (this.sessionId !== undefined && this.pictures.get(this.sessionId)) || [];
  }

  private keep(sessionId: SessionId, pictures: Picture[]): void {
    this.pictures.set(sessionId, pictures);
    if (pictures.length === 0) this.counts.delete(sessionId);
    else this.counts.set(sessionId, String(pictures.length));
  }

  private put(pictures: Picture[], isSaid = true): void {
    if (this.sessionId === undefined) return;
    for (const one of this.here()) if (!pictures.includes(one)) URL.revokeObjectURL(one.url);
    this.keep(this.sessionId, pictures);
    if (isSaid) this.say("");
    this.draw();
    this.changed();
  }

  private draw(): void {
    this.list.replaceChildren(...this.here().map((picture) => this.entry(picture)));
    this.list.hidden = this.list.childElementCount === 0;
    this.root.hidden = this.list.hidden && this.note.hidden;
  }

  private entry(picture: Picture): HTMLElement {
    const { file, url } = picture;
    const image = element("img", "attachment-image");
    image.src = url;
    image.alt = file.name;
    image.title = `${file.name}, ${sizeWords(file.size)}`;
    const remove = button("×", "attachment-remove", () => {
      this.put(this.here().filter((one) => one !== picture));
    });
    remove.setAttribute("aria-label", `Remove ${file.name}`);
    return element("li", "attachment", image, remove);
  }

  private say(text: string): void {
    setText(this.note, text);
    this.note.hidden = text === "";
    this.root.hidden = this.list.hidden && this.note.hidden;
  }
}

function pictureOf(file: File): Picture {
  return { file, url: URL.createObjectURL(file) };
}

/** The images of a paste or a drop. */
export function imagesIn(transfer: DataTransfer | null): File[] {
  return [...(transfer?.files ?? [])].filter(({ type }) => type.startsWith("image/"));
}
