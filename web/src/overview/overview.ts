/** What waits for a person, and what all sessions do: keeps it, and draws the pages that show it. */
import type { Commands } from "../commands/commands";
import type { ClientFrame, PermissionAnswer, PermissionRequest, ServerFrame, SessionId } from "../contract";
import { dialogs } from "../dialogs-later";
import * as directories from "../directory/directory";
import { Glances } from "../directory/glances";
import { oldestFirst } from "../directory/permission-index";
import { isWriting } from "../dom/is-writing";
import { Later } from "../dom/later";
import type { InboxView } from "../inbox/inbox-view";
import * as desks from "../permissions/desk";
import { FollowingReasons } from "../permissions/following-reasons";
import { PermissionDock } from "../permissions/permission-dock";
import { INBOX, type Route, WALL } from "../route";
import type { Refusal } from "../server/requests";
import type { WallView } from "../wall/wall-view";
import { takeHeaderParts } from "./header-parts";
import { OverviewLinks } from "./overview-links";
import { PageFrame } from "./page-frame";

export type OverviewActions = {
  send(frame: ClientFrame, refused: Refusal, taken?: () => void): boolean;
  isLive(): boolean;
  /** Asks for the next drawing. */
  draw(): void;
  directory(): directories.Directory;
  /** What was decided: in a session, or everywhere. Nothing if it cannot be had. */
  decisions(sessionId?: SessionId): Promise<PermissionRequest[]>;
  /** Sends a message as if it were written there. */
  say(sessionId: SessionId, text: string): void;
  /** Puts words that found no other place where messages are written. */
  putBack(sessionId: SessionId, text: string): void;
  /** Stops the turn that runs in a session. */
  stop(sessionId: SessionId): void;
  /** Starts the agent of a session again. */
  resume(sessionId: SessionId): void;
  loadList(): void;
};

/** While the wall is looked at, its clocks and lines are drawn this often. */
const WALL_MS = 1_000;
/** This agent is told the reason with the refusal; others get it as the next message. */
const TAKES_REASONS = "claude-code";

export class Overview {
  readonly links = new OverviewLinks();
  readonly dock = new PermissionDock((request, answer) => this.answer(request, answer));
  readonly glances = new Glances();
  readonly frames = {
    inbox: new PageFrame("inbox", "Inbox", "Loading what waits for you", "cards", () => this.loadList()),
    wall: new PageFrame("wall", "Wall", "Loading sessions", "tiles", () => this.loadList()),
  };
  private readonly pages = new Later(() => this.fetchPages());
  private inbox: InboxView | undefined;
  private wall: WallView | undefined;
  /** As it was drawn last, with those marked that give no sign of life. */
  private drawn = directories.emptyDirectory;
  private desk = desks.emptyDesk;
  private readonly reasons = new FollowingReasons();
  private route: Route["kind"] = "home";
  /** The inbox was just entered, and has not been drawn since with what is known. */
  private focusesInbox = false;
  private readonly made = new Set<SessionId>();

  constructor(private readonly actions: OverviewActions) {
    setInterval(() => {
      if (this.route === "wall" && !document.hidden) this.renderWall();
    }, WALL_MS);
  }

  private async fetchPages(): Promise<void> {
    const { InboxView, WallView } = await import("./pages");
    const answered = (request: PermissionRequest, answer: PermissionAnswer) => this.answer(request, answer);
    this.inbox = new InboxView(this.frames.inbox, answered);
    this.wall = new WallView(this.frames.wall, this.glances, {
      answered,
      stop: ({ sessionId }) => this.actions.stop(sessionId),
      resume: ({ sessionId }) => this.actions.resume(sessionId),
    });
    this.actions.draw();
  }

  addCommands(commands: Commands): void {
    const actions = {
      openInbox: () => this.openInbox(),
      openWall: () => {
        location.hash = WALL;
      },
      focusOldest: () => this.focusOldest(),
      hasWaiting: () => this.waiting().length > 0,
      isInbox: () => this.route === "inbox",
      stepInInbox: (by: 1 | -1) => this.inbox?.step(by),
    };
    dialogs.whenHere(({ overviewCommands }) => overviewCommands(commands, actions));
  }

  /** True if the session view is what the address asks for. `header` is its own, `notes` say what is wrong on any page. */
  follow(route: Route["kind"], header: HTMLElement, notes: HTMLElement): boolean {
    if (route === "wall" && this.route !== "wall") this.wall?.enter();
    this.focusesInbox = route === "inbox" && this.route !== "inbox";
    if (this.focusesInbox) this.inbox?.enter();
    this.route = route;
    const { inbox, wall } = this.frames;
    inbox.root.hidden = route !== "inbox";
    wall.root.hidden = route !== "wall";
    const page = route === "inbox" ? inbox : route === "wall" ? wall : undefined;
    if (page && !this.inbox) this.pages.use(() => {});
    takeHeaderParts(page?.header ?? header, notes);
    return page === undefined;
  }

  /** What a new connection does not tell: what was decided while there was none. */
  connected(): void {
    this.desk = desks.reconnected(this.desk);
    void this.learn();
  }

  private async learn(sessionId?: SessionId): Promise<void> {
    const known = await this.actions.decisions(sessionId);
    this.decided(...known);
    this.actions.draw();
  }

  received(frame: ServerFrame): void {
    if (frame.type === "session:glance") this.glances.note(frame, Date.now());
    if (frame.type === "session:created") this.made.add(frame.session.sessionId);
    if (frame.type === "permission:resolved") this.decided(frame);
    // Then it is there, and someone reads it.
    if (frame.type === "session:history") void this.learn(frame.sessionId);
  }

  private decided(...requests: PermissionRequest[]): void {
    this.desk = desks.decided(this.desk, ...requests);
    for (const { request, reason, isMeant } of this.reasons.decided(requests)) {
      if (isMeant) this.actions.say(request.sessionId, reason);
      else this.actions.putBack(request.sessionId, reason);
    }
  }

  decisionsOf(sessionId: SessionId | undefined): PermissionRequest[] {
    return desks.decisionsOf(this.desk, sessionId);
  }

  render(directory: directories.Directory): void {
    this.drawn = directory;
    this.dock.show(this.desk);
    this.links.render(this.waiting().length, this.route);
    if (this.route === "inbox") this.renderInbox();
    if (this.route === "wall") this.renderWall();
    for (const frame of Object.values(this.frames)) frame.render(directory);
  }

  private loadList(): void {
    this.actions.loadList();
  }

  private waiting(): PermissionRequest[] {
    return oldestFirst(this.actions.directory().permissions.values());
  }

  private renderInbox(): void {
    const directory = this.actions.directory();
    this.inbox?.render({
      waiting: this.waiting(),
      desk: this.desk,
      sessionOf: (sessionId) => directories.sessionOf(directory, sessionId),
      projectNameOf: (session) => session && directory.projectNames.get(session.projectId),
      isLoaded: directory.loaded,
    });
    this.focusOnEntering(directory);
  }

  /** Only what was there when the reader came: what comes later takes the focus from nobody, and letters answer what has it. */
  private focusOnEntering({ loaded }: directories.Directory): void {
    const isThere = this.waiting().length > 0;
    if (!this.inbox || !this.focusesInbox || !(isThere || loaded)) return;
    this.focusesInbox = false;
    // A field of the page that was left has the focus until the next frame, and nobody writes there.
    const writes = isWriting(document.activeElement) && document.activeElement?.checkVisibility();
    if (isThere && !writes) this.inbox.focusFirst();
  }

  private renderWall(): void {
    const directory = this.drawn;
    this.wall?.render({
      sessions: directories.sessionsOf(directory),
      statuses: directory.statuses,
      projectNameOf: (session) => directory.projectNames.get(session.projectId),
      waitingIn: (sessionId) => directories.permissionsOf(directory, sessionId),
      isNew: (sessionId) => this.made.has(sessionId),
      desk: this.desk,
      isLoaded: directory.loaded,
      isLive: this.actions.isLive(),
    });
  }

  private answer(request: PermissionRequest, given: PermissionAnswer): void {
    const { sessionId, permissionId } = request;
    const session = directories.sessionOf(this.actions.directory(), sessionId);
    const { feedback, ...bare } = given;
    const follows = feedback !== undefined && session?.cliType !== TAKES_REASONS;
    const answer = follows ? bare : given;
    const refused = (reason: string) => {
      this.reasons.forget(permissionId);
      this.desk = desks.refused(this.desk, permissionId, reason);
      this.actions.draw();
    };
    this.desk = desks.answeredHere(this.desk, permissionId, answer);
    const frame: ClientFrame = { type: "permission:answer", sessionId, permissionId, ...answer };
    if (follows) this.reasons.wait(permissionId, answer.optionId, feedback);
    const taken = () => {
      this.desk = desks.taken(this.desk, permissionId);
      this.actions.draw();
    };
    if (!this.actions.send(frame, refused, taken)) refused("There is no connection to the server.");
    this.actions.draw();
  }

  private openInbox(): void {
    if (location.hash === INBOX) this.inbox?.focusFirst();
    else location.hash = INBOX;
  }

  private focusOldest(): void {
    const [oldest] = this.waiting();
    if (!oldest || this.dock.focus(oldest.permissionId)) return;
    this.openInbox();
  }
}
