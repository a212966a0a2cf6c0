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

export class Teller {
  private readonly locks = new WindowLocks();
  private wanted = "";
  private hasIt = false;
  private shown = "";

  constructor(
    private readonly preferences: PreferenceStore,
    private readonly open: (sessionId: SessionId) => void,
  ) {
    document.addEventListener("visibilitychange", () => this.follow());
  }

  /** A session, or the name of a page about all of them. */
  shows(shown: string): void {
    this.shown = shown;
    this.follow();
  }

  async tell(news: Notice[]): Promise<void> {
    if (navigator.locks && !this.hasIt) return;
    const seen = await seenNow();
    const notices = news.filter(({ sessionId, kind }) => {
      const places = [sessionId, "wall", ...(kind === "asks" ? ["inbox"] : [])];
      return !places.some((place) => seen.has(place));
    });
    const { notifications, sound } = this.preferences.all;
    if (notices.length > 0 && sound) playSoftSound();
    if (!notifications) return;
    for (const notice of notices) showNotification(notice, () => this.open(notice.sessionId));
  }

  private follow(): void {
    const wanted = document.hidden ? TELLS : SEES + this.shown;
    if (wanted === this.wanted) return;
    this.locks.letGo(this.wanted);
    this.wanted = wanted;
    this.hasIt = false;
    this.locks.take(wanted, () => {
      // One that was wanted before may come late, and is let go at once.
      if (this.wanted === wanted) this.hasIt = true;
    });
  }
}

/** What windows show that are in sight. */
async function seenNow(): Promise<Set<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const prefix = HELD + SEES;
  const names = held.map(({ name = "" }) => name).filter((name) => name.startsWith(prefix));
  return new Set(names.map((name) => name.slice(prefix.length)));
}
