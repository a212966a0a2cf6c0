/**
 * Tells by the system and by a sound, for all windows of the page: of those that are hidden one does, and none of what another
 * one shows that is in sight.
 *
 * The browser itself knows who that is: what is hidden wants to be the one that tells, and what is in sight holds the name of
 * what it shows. Where it has no such locks every window tells.
 */
import type { SessionId } from "../contract";
import type { PreferenceStore } from "../preferences/preferences";
import { HELD, WindowLocks } from "../server/window-locks";
import { playSoftSound } from "./soft-sound";
import { showNotification } from "./system-notifications";
import type { Notice } from "./what-to-tell";

const TELLS = "tells";
const SEES = "sees ";
const TOLD = "liminal-told";
/** So long after something happened it is told by whoever takes the place of a window that went before it told. */
const HANDOVER_MS = 2_000;

export class Teller {
  private readonly locks = new WindowLocks();
  private wanted = "";
  private hasIt = false;
  private shown = "";
  /** What another window was to tell, and what one has told. */
  private others: { notice: Notice; at: number }[] = [];
  private toldBefore: { name: string; at: number }[] = [];
  private readonly told = new BroadcastChannel(TOLD);

  constructor(
    private readonly preferences: PreferenceStore,
    private readonly open: (sessionId: SessionId) => void,
  ) {
    document.addEventListener("visibilitychange", () => this.follow());
    this.told.addEventListener("message", ({ data }) => this.toldElsewhere(String(data)));
  }

  /** A session, or the name of a page about all of them. */
  shows(shown: string): void {
    this.shown = shown;
    this.follow();
  }

  async tell(news: Notice[]): Promise<void> {
    if (navigator.locks && !this.hasIt) {
      this.leaveToOthers(news);
      return;
    }
    const seen = await seenNow();
    const notices = news.filter(({ sessionId, kind }) => {
      const places = [sessionId, "wall", ...(kind === "asks" ? ["inbox"] : [])];
      return !places.some((place) => seen.has(place));
    });
    for (const notice of notices) this.told.postMessage(nameOf(notice));
    const { notifications, sound } = this.preferences.all;
    if (notices.length > 0 && sound) playSoftSound();
    if (!notifications) return;
    for (const notice of notices) showNotification(notice, () => this.open(notice.sessionId));
  }

  /** The one that tells may be about to go, and have heard nothing of it. */
  private leaveToOthers(news: Notice[]): void {
    const at = Date.now();
    const before = new Set(this.toldBefore.filter(isRecent).map(({ name }) => name));
    const untold = news.filter((notice) => !before.has(nameOf(notice)));
    this.others = [...this.others.filter(isRecent), ...untold.map((notice) => ({ notice, at }))];
  }

  private toldElsewhere(name: string): void {
    this.others = this.others.filter(({ notice }) => nameOf(notice) !== name);
    this.toldBefore = [...this.toldBefore.filter(isRecent), { name, at: Date.now() }];
  }

  private takeOver(): void {
    this.hasIt = true;
    const news = this.others.filter(isRecent).map(({ notice }) => notice);
    this.others = [];
    if (document.hidden && news.length > 0) void this.tell(news);
  }

  private follow(): void {
    const wanted = document.hidden ? TELLS : SEES + this.shown;
    if (wanted === this.wanted) return;
    this.locks.letGo(this.wanted);
    this.wanted = wanted;
    this.hasIt = false;
    this.locks.take(wanted, () => {
      // One that was wanted before may come late, and is let go at once.
      if (this.wanted === wanted) this.takeOver();
    });
  }
}

function isRecent({ at }: { at: number }): boolean {
  return Date.now() - at < HANDOVER_MS;
}

function nameOf({ sessionId, kind, text }: Notice): string {
  return `${sessionId} ${kind} ${text}`;
}

/** What windows show that are in sight. */
async function seenNow(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const prefix = HELD + SEES;
  const names = held.map(({ name = "" }) => name).filter((name) => name.startsWith(prefix));
  return new Set(names.map((name) => name.slice(prefix.length)));
}
