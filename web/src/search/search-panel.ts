/** Finds words in all sessions: finds by session, with what stands around them; Enter leads to the message. */
import type { SearchHit, SessionId } from "../contract";
import { Dialog } from "../dom/dialog";
import { element, setText } from "../dom/dom";
import { itemHash } from "../route";
import { ApiError, search } from "../server/api";
import { visibleLine, visibleName } from "../text/visible-text";
import { bySession, MOST_HITS } from "./hits";
import { sayIfSlow } from "./say-if-slow";
import { spansOf, wordsOf } from "./words";

export type SearchPanelActions = {
  /** How a session is called, and where it belongs. */
  nameOf(sessionId: SessionId): { title: string; project: string };
};

const PAUSE_MS = 180;
const EMPTY = "Type words, or how they begin. Finished messages of all sessions are searched.";

export class SearchPanel {
  private readonly input = element("input", "search-input");
  private readonly note = element("p", "search-note");
  private readonly list = element("div", "search-results");
  private readonly dialog = new Dialog(
    "Search all sessions",
    "search-panel",
    this.input,
    this.note,
    this.list,
  );
  private options: HTMLAnchorElement[] = [];
  private at = -1;
  private asked = 0;
  /** What was written when the finds in sight were looked for. */
  private shownFor = "";
  /** Enter was pressed before the finds for what is written were there. */
  private opensFirst = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly actions: SearchPanelActions) {
    // A field of the type search would take the first Esc for itself.
    this.input.type = "text";
    this.input.placeholder = "Search all sessions";
    this.input.setAttribute("aria-label", "Search all sessions");
    this.input.role = "combobox";
    this.input.setAttribute("aria-expanded", "true");
    this.input.setAttribute("aria-controls", "search-results");
    this.list.id = "search-results";
    this.list.role = "listbox";
    this.list.setAttribute("aria-label", "Finds");
    this.note.ariaLive = "polite";
    this.input.addEventListener("input", () => this.typed());
    this.dialog.root.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  /** With what was typed before it was there. */
  open(typed = ""): void {
    this.dialog.open();
    this.input.focus();
    if (typed === "") this.input.select();
    else this.input.value = typed;
    void this.find();
  }

  private keyPressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") this.choose(this.at + 1);
    else if (event.key === "ArrowUp") this.choose(this.at - 1);
    else if (event.key === "Enter") this.enter();
    else return;
    event.preventDefault();
  }

  /** What is in sight may be an answer to other words: then it leads to the first of what comes. */
  private enter(): void {
    if (this.shownFor === this.input.value) this.options[Math.max(this.at, 0)]?.click();
    else this.opensFirst = true;
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.opensFirst = false;
    this.mark(undefined);
    this.timer = setTimeout(() => void this.find(), PAUSE_MS);
  }

  private async find(): Promise<void> {
    this.asked += 1;
    const { asked } = this;
    const written = this.input.value;
    const words = wordsOf(written);
    const draw = (hits: SearchHit[], note: string) => {
      this.draw(hits, words, note);
      this.answered(written);
    };
    if (words.length === 0) return draw([], EMPTY);
    try {
      const hits = await sayIfSlow(search(words.join(" ")), () => {
        if (asked === this.asked) setText(this.note, "Searching…");
      });
      if (asked === this.asked) draw(hits, noteOn(hits.length));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (asked === this.asked) draw([], error.message);
    }
  }

  private answered(written: string): void {
    this.shownFor = written;
    const { opensFirst } = this;
    this.opensFirst = false;
    if (opensFirst && this.dialog.isOpen) this.enter();
  }

  private draw(hits: SearchHit[], words: string[], note: string): void {
    setText(this.note, note);
    this.options = [];
    const groups = bySession(hits).map(({ sessionId, hits: found }) => {
      const { title, project } = this.actions.nameOf(sessionId);
      const head = element(
        "header",
        "search-session",
        element("span", "search-session-title", visibleName(title)),
        project,
      );
      head.id = `search-${sessionId}`;
      // It names the group; among the options it would be one that cannot be chosen.
      head.role = "presentation";
      const group = element("section", "search-group", head, ...found.map((hit) => this.option(hit, words)));
      group.role = "group";
      group.setAttribute("aria-labelledby", head.id);
      return group;
    });
    this.list.replaceChildren(...groups);
    this.choose(0);
  }

  private option(hit: SearchHit, words: string[]): HTMLAnchorElement {
    const made = element("a", "search-hit", ...marked(hit.snippet, words));
    made.role = "option";
    made.tabIndex = -1;
    made.id = `search-hit-${this.options.length}`;
    made.href = itemHash(hit.sessionId, hit.itemId);
    made.addEventListener("click", (event) => this.go(event, made.hash));
    this.options.push(made);
    return made;
  }

  private go(event: Event, hash: string): void {
    event.preventDefault();
    this.dialog.close();
    // The same place once more is still to be shown.
    if (location.hash === hash) window.dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = hash;
  }

  private choose(at: number): void {
    this.at = Math.min(Math.max(at, 0), this.options.length - 1);
    this.mark(this.options[this.at]);
  }

  private mark(chosen: HTMLAnchorElement | undefined): void {
    for (const option of this.options) option.ariaSelected = String(option === chosen);
    this.input.setAttribute("aria-activedescendant", chosen?.id ?? "");
    chosen?.scrollIntoView({ block: "nearest" });
  }
}

function noteOn(count: number): string {
  if (count === 0) return "Nothing was found.";
  if (count >= MOST_HITS) return `The newest ${count} finds`;
  return count === 1 ? "1 find" : `${count} finds`;
}

/** Text with its finds marked. */
function marked(text: string, words: string[]): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let from = 0;
  for (const span of spansOf(text, words)) {
    parts.push(visibleLine(text.slice(from, span.from)));
    parts.push(element("mark", "", visibleLine(text.slice(span.from, span.to))));
    from = span.to;
  }
  return [...parts, visibleLine(text.slice(from))];
}
