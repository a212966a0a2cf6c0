/** What the reader chose about the sidebar; it outlives a reload. */
import type { ProjectId, SessionId, SessionListItem } from "../contract";
import { KeptValue, keptRecord, keptTexts } from "../dom/kept-value";
import { isUnread, looked, readSeen } from "./seen";

export class KeptChoices {
  filter = "";
  private readonly pins = new KeptValue("liminal:pinned", keptTexts);
  private readonly folded = new KeptValue("liminal:collapsed", keptRecord);
  private readonly archived = new KeptValue("liminal:show-archived", (kept) => kept === true);
  private readonly seen = new KeptValue("liminal:seen", (kept) => readSeen(kept, Date.now()));

  constructor(changedElsewhere: () => void) {
    for (const value of [this.pins, this.folded, this.seen]) value.follow(changedElsewhere);
    // Kept from the first look on, so that a reload does not begin the count anew.
    this.seen.change((seen) => seen);
  }

  get pinned(): ReadonlySet<SessionId> {
    return new Set(this.pins.value);
  }

  get collapsed(): ReadonlySet<ProjectId> {
    const { value } = this.folded;
    return new Set(Object.keys(value).filter((id) => value[id] === true));
  }

  get showArchived(): boolean {
    return this.archived.value;
  }

  set showArchived(show: boolean) {
    this.archived.set(show);
  }

  togglePin(sessionId: SessionId): void {
    this.pins.change((pins) =>
      pins.includes(sessionId) ? pins.filter((other) => other !== sessionId) : [...pins, sessionId],
    );
  }

  fold(projectId: ProjectId, isFolded: boolean): void {
    this.folded.change(({ [projectId]: _, ...rest }) => (isFolded ? { ...rest, [projectId]: true } : rest));
  }

  readonly isUnread = (session: SessionListItem): boolean => isUnread(this.seen.value, session);

  /** The session is being looked at. Whether that was news. */
  look(session: SessionListItem): boolean {
    if (!this.isUnread(session)) return false;
    this.seen.change((seen) => looked(seen, session));
    return true;
  }
}
