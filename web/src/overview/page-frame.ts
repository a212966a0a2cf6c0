/** The frame of a page about all sessions: there at once, while what fills it is still fetched. */
import type { Directory } from "../directory/directory";
import { element } from "../dom/dom";
import { FailedNote } from "../dom/failed-note";
import { type SkeletonKind, skeleton } from "../dom/skeleton";
import { UNDER_NOTES } from "../shell/room-for-notes";

export class PageFrame {
  readonly root: HTMLElement;
  readonly header = element("header", "page-header");
  readonly count = element("span", "page-count");
  readonly content = element("div", `page-content ${UNDER_NOTES}`);
  /** The shape of what is about to come. */
  readonly loading: HTMLElement;
  private readonly failed: FailedNote;

  constructor(className: string, title: string, loading: string, kind: SkeletonKind, again = () => {}) {
    this.failed = new FailedNote(again);
    this.loading = skeleton(loading, kind);
    this.header.append(element("h1", "page-heading", title, this.count));
    this.content.append(this.failed.root, this.loading);
    this.root = element("main", `page ${className}`, this.header, this.content);
    // So that keys reach it from wherever it was pressed.
    this.root.tabIndex = -1;
  }

  /** Nothing is about to come where nothing could be loaded. */
  render({ loaded, missing }: Directory): void {
    const isMissing = !loaded && missing === "all";
    this.failed.show(isMissing ? "The sessions could not be loaded." : "");
    if (isMissing) this.loading.hidden = true;
  }
}
