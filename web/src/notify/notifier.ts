/** Tells those who look at something else: by the title and the icon of the page, and what else `Teller` has. */
import { KeptTexts, type TextStore } from "../compose/kept-text";
import type { SessionId } from "../contract";
import { dialogs } from "../dialogs-later";
import type { Directory } from "../directory/directory";
import { NextFrame } from "../dom/next-frame";
import type { PreferenceStore } from "../preferences/preferences";
import type { Teller } from "./teller";
import { type Notice, newsIn, titleWithCount, waitingCount } from "./what-to-tell";

const ICON = "/favicon.svg";
const ICON_WAITING = "/favicon-waiting.svg";
const NOBODY: ReadonlySet<SessionId> = new Set();

export type NotifierActions = {
  /** A notification was clicked. */
  open(sessionId: SessionId): void;
  /** Something happened, whether or not the page is looked at. */
  told(notice: Notice): void;
};

export class Notifier {
  private readonly muted: KeptTexts;
  /** Absent until the server has told for the first time how everything stands: before that nothing is news. */
  private known: Directory | undefined;
  private followed: Directory | undefined;
  private title = document.title;
  private waiting = 0;
  private shown = "";
  private teller: Teller | undefined;
  private readonly counting = new NextFrame(() => this.count());

  constructor(
    store: TextStore,
    preferences: PreferenceStore,
    private readonly actions: NotifierActions,
  ) {
    this.muted = new KeptTexts("liminal-muted ", store);
    dialogs.whenHere(({ Teller }) => {
      this.teller = new Teller(preferences, actions.open);
      this.teller.shows(this.shown);
    });
  }

  /** What is looked at here: a session, or the name of a page about all of them. */
  shows(shown: string): void {
    this.shown = shown;
    this.teller?.shows(shown);
  }

  isMuted(sessionId: SessionId | undefined): boolean {
    return sessionId !== undefined && this.muted.get(sessionId) !== undefined;
  }

  mute(sessionId: SessionId, mute: boolean): void {
    if (mute) this.muted.set(sessionId, "muted");
    else this.muted.delete(sessionId);
    this.counting.ask();
  }

  /** The server has said all that it says to a new connection. */
  begin(directory: Directory): void {
    this.known ??= directory;
  }

  follow(directory: Directory): void {
    if (directory === this.followed) return;
    this.followed = directory;
    if (this.known) {
      const news = newsIn(this.known, directory, NOBODY).filter(({ sessionId }) => !this.isMuted(sessionId));
      for (const notice of news) this.actions.told(notice);
      if (document.hidden) void this.teller?.tell(news);
      this.known = directory;
    }
    this.counting.ask();
  }

  /** Once for all that is told at a time. */
  private count(): void {
    this.waiting = this.followed ? waitingCount(this.followed, (sessionId) => this.isMuted(sessionId)) : 0;
    this.draw();
  }

  /** What the page is called when nobody waits. */
  name(title: string): void {
    this.title = title;
    this.draw();
  }

  private draw(): void {
    const title = titleWithCount(this.title, this.waiting);
    if (document.title !== title) document.title = title;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    const wanted = this.waiting > 0 ? ICON_WAITING : ICON;
    if (icon && icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
  }
}
