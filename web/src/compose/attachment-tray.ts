/** The images of a message that is being written: picked, pasted or dropped, seen as small pictures, and taken out again. */
import type { SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { addable, IMAGE_TYPES, lostWords, sizeWords } from "./image-rules";
import type { ImageStore } from "./image-store";
import type { KeptTexts } from "./kept-text";

type Picture = { file: File; url: string };

/** By session: each window of the page has the same ones. */
const DRAFT = "draft ";

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

  /** `counts` keeps how many this window had, so that a reload can tell what was not kept. */
  constructor(
    private readonly counts: KeptTexts,
    private readonly store: ImageStore,
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
    store.follow((name) => this.changedElsewhere(name));
    this.draw();
  }

  /** Where it is not known whether the agent takes images they are taken here, and the server has the last word. */
  show(sessionId: SessionId, takesImages: boolean | undefined): void {
    this.pick.hidden = takesImages !== true;
    this.takesImages = takesImages;
    if (sessionId === this.sessionId) return;
    this.sessionId = sessionId;
    this.say("");
    this.draw();
    this.bringBack(sessionId);
  }

  get files(): File[] {
    return this.here().map(({ file }) => file);
  }

  /** They belong to a message that is sent. */
  clear(): void {
    if (this.files.length > 0) this.put([]);
    this.say("");
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
    this.bringBack(sessionId);
    this.keep(sessionId, [...files.map(pictureOf), ...(this.pictures.get(sessionId) ?? [])]);
    this.draw();
    this.changed();
  }

  private here(): Picture[] {
    return (this.sessionId !== undefined && this.pictures.get(this.sessionId)) || [];
  }

  /** What was there before a reload stands before what was added since. */
  private bringBack(sessionId: SessionId): void {
    if (this.pictures.has(sessionId)) return;
    this.pictures.set(sessionId, []);
    const had = Number(this.counts.get(sessionId) ?? 0);
    this.store.find(DRAFT + sessionId, (files) => {
      const since = this.pictures.get(sessionId) ?? [];
      if (files.length > 0) this.keep(sessionId, [...files.map(pictureOf), ...since]);
      if (sessionId !== this.sessionId) return;
      if (had > files.length) this.say(lostWords(had - files.length));
      this.draw();
      this.changed();
    });
  }

  /** Another window added some, took some out or sent them: what they are there, they are here. */
  private changedElsewhere(name: string): void {
    const sessionId = name.slice(DRAFT.length);
    const known = this.pictures.get(sessionId);
    if (!name.startsWith(DRAFT) || !known) return;
    this.store.find(name, (files) => {
      for (const { url } of known) URL.revokeObjectURL(url);
      this.pictures.set(sessionId, files.map(pictureOf));
      this.count(sessionId, files.length);
      this.draw();
      this.changed();
    });
  }

  private keep(sessionId: SessionId, pictures: Picture[]): void {
    this.pictures.set(sessionId, pictures);
    const files = pictures.map(({ file }) => file);
    this.store.keep(DRAFT + sessionId, files);
    this.count(sessionId, files.length);
  }

  private count(sessionId: SessionId, count: number): void {
    if (count === 0) this.counts.delete(sessionId);
    else this.counts.set(sessionId, String(count));
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
