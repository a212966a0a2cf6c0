/**
 * The sessions that were looked at lately, each with its transcript as it was left: coming back shows it at once, where it was.
 *
 * Only the one in sight is subscribed to; another one asks for what it missed when it comes back. There are so many transcripts
 * and no more: the one that was left longest ago is used anew.
 */
import type { ItemId, PlanEntry, SessionId } from "../contract";
import { element } from "../dom/dom";
import type { Timeline } from "../timeline/timeline";
import type { Transcript } from "../transcript/transcript";
import { NOTHING_SPENT, type Spent } from "./context-gauge";
import { OpenSession, type OpenSessionActions, type TimelineFrame } from "./open-session";

type Place = { open: OpenSession; transcript: Transcript; plan: PlanEntry[] };

const PLACES = 8;

export class OpenSessions {
  readonly root = element("div", "transcripts");
  /** The one that was left longest ago comes first, the one in sight last. */
  private places: Place[] = [];
  private current: Place;
  private isShown = false;

  constructor(
    private readonly makeTranscript: () => Transcript,
    private readonly actions: OpenSessionActions,
  ) {
    this.current = this.addPlace();
    this.show();
  }

  get id(): SessionId | undefined {
    return this.isShown ? this.current.open.id : undefined;
  }

  get transcript(): Transcript {
    return this.current.transcript;
  }

  /** What is known of the session in sight. */
  get known(): Timeline {
    return this.current.open.known;
  }

  /** What the session in sight has cost; nothing where none is. */
  get spent(): Spent {
    return this.isShown ? this.current.open.spent : NOTHING_SPENT;
  }

  change(sessionId: SessionId | undefined): void {
    const before = this.id;
    if (sessionId === before) return;
    if (before !== undefined) this.actions.unsubscribe(before);
    this.isShown = sessionId !== undefined;
    if (sessionId !== undefined) this.bring(sessionId);
    this.show();
    this.actions.planned(this.isShown ? this.current.plan : []);
  }

  subscribe(): void {
    if (this.isShown) this.current.open.subscribe();
  }

  /** What was on its way when its session was left still belongs there. */
  received(frame: TimelineFrame): void {
    this.placeOf(frame.sessionId)?.open.received(frame);
  }

  /** Shows an item of the session in sight. */
  showItem(itemId: ItemId | undefined): void {
    if (this.isShown) this.current.open.show(itemId);
  }

  loadWhole(itemId: ItemId): Promise<void> {
    return this.current.open.loadWhole(itemId);
  }

  cannotOpen(sessionId: SessionId): void {
    this.placeOf(sessionId)?.transcript.cannotOpen();
  }

  /** A session that was closed needs no place. */
  release(sessionId: SessionId): void {
    const place = this.placeOf(sessionId);
    if (!place || sessionId === this.id) return;
    place.open.change(undefined);
    this.places = [place, ...this.places.filter((other) => other !== place)];
  }

  private bring(sessionId: SessionId): void {
    const kept = this.placeOf(sessionId);
    const place = kept ?? this.freePlace();
    this.places = [...this.places.filter((other) => other !== place), place];
    this.current = place;
    // A new one asks for everything, one that was kept for what it missed.
    if (kept) kept.open.subscribe();
    else place.open.change(sessionId);
  }

  private placeOf(sessionId: SessionId): Place | undefined {
    return this.places.find(({ open }) => open.id === sessionId);
  }

  private freePlace(): Place {
    const unused = this.places.find(({ open }) => open.id === undefined);
    if (unused) return unused;
    return (this.places.length >= PLACES ? this.places[0] : undefined) ?? this.addPlace();
  }

  private addPlace(): Place {
    const transcript = this.makeTranscript();
    const open = new OpenSession(transcript, {
      // One that is not in sight asks when it comes back.
      subscribe: (sessionId, cursor) => this.isInSight(place) && this.actions.subscribe(sessionId, cursor),
      // Whoever is used anew was left before.
      unsubscribe: () => {},
      planned: (entries) => {
        place.plan = entries;
        if (this.isInSight(place)) this.actions.planned(entries);
      },
      changed: (before, update, isLive) => {
        if (this.isInSight(place)) this.actions.changed(before, update, isLive);
      },
    });
    const place: Place = { open, transcript, plan: [] };
    this.places.push(place);
    this.root.append(transcript.root);
    return place;
  }

  private isInSight(place: Place): boolean {
    return place === this.current && this.isShown;
  }

  /** What is not in sight keeps its layout, and so its place: only drawing it is left out. */
  private show(): void {
    this.root.dataset.shown = String(this.isShown);
    for (const place of this.places) place.transcript.root.dataset.kept = String(place !== this.current);
    for (const place of this.places) place.transcript.showInSight(this.isInSight(place));
  }
}
