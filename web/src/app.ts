/** The page of someone who is logged in: passes on what the server tells and what the reader asks for. */

import { Commands } from "./commands/commands";
import { listenForKeys } from "./commands/key-listener";
import { Composer } from "./compose/composer";
import { browserStore, KeptTexts } from "./compose/kept-text";
import type {
  ClientFrame,
  CreateSessionRequest,
  PermissionAnswer,
  PermissionRequest,
  ServerFrame,
  SessionId,
  SessionListItem,
} from "./contract";
import * as directories from "./directory/directory";
import { element } from "./dom/dom";
import { NextFrame } from "./dom/next-frame";
import { PermissionDock } from "./permissions/permission-dock";
import { NEW_SESSION, routeOf, sessionHash } from "./route";
import { FindBar } from "./search/find-bar";
import { searchCommands } from "./search/search-commands";
import { SearchPanel } from "./search/search-panel";
import {
  ApiError,
  agents,
  createSession,
  historyPage,
  directories as offeredDirectories,
  projects,
  removeQueued,
  resumeQueue,
  sessionsOf,
} from "./server/api";
import { Connection, type ConnectionState } from "./server/connection";
import { Outbox, type Outgoing } from "./server/outbox";
import { Requests } from "./server/requests";
import { OpenSession } from "./session/open-session";
import { PlanPanel } from "./session/plan-panel";
import { SessionView } from "./session/session-view";
import { StatusBar } from "./session/status-bar";
import { SessionList } from "./sidebar/session-list";
import { StallNote } from "./stall/stall-note";
import { LOOK_MS, StallWatch } from "./stall/stall-watch";
import { NewSessionForm } from "./start/new-session-form";
import { type Reading, readingCommands } from "./transcript/reading-commands";
import { Transcript } from "./transcript/transcript";
import { AskedLog } from "./turn-times/asked-log";
import { timesCommands } from "./turn-times/times-commands";
import { TimesDialog } from "./turn-times/times-dialog";

export type AppActions = { loggedOut(): void };

/** Relative times in the list are rewritten this often. */
const CLOCK_MS = 30_000;

export class App {
  readonly root = element("div", "app");
  private readonly commands = new Commands();
  private readonly status = new StatusBar();
  private readonly list = new SessionList();
  private readonly transcript = new Transcript({
    showWhole: (itemId) => this.attempt(() => this.open.loadWhole(itemId)),
    remove: (turnId) => this.withOpen((sessionId) => removeQueued(sessionId, turnId)),
    resume: () => this.withOpen(resumeQueue),
  });
  private readonly permissions = new PermissionDock((request, answer) => this.answer(request, answer));
  private readonly outbox = new Outbox(browserStore());
  private readonly composer = new Composer(this.outbox, new KeptTexts("liminal-draft ", browserStore()), {
    send: (message) => this.sendMessage(message),
    cancel: (sessionId) => this.tell({ type: "session:cancel", sessionId }),
  });
  private readonly plan = new PlanPanel();
  private readonly newSession = new NewSessionForm({
    start: (request) => void this.startSession(request),
    lookAgain: () => this.attempt(() => this.loadAgents(true)),
    directories: (written) => offeredDirectories(written).catch(() => []),
  });
  private readonly view = new SessionView({
    status: this.status,
    transcript: this.transcript,
    permissions: this.permissions,
    composer: this.composer,
    plan: this.plan,
    newSession: this.newSession,
  });
  private readonly frame = new NextFrame(() => this.draw());
  private readonly find = new FindBar(() => this.reading());
  private readonly searchPanel = new SearchPanel({
    nameOf: (sessionId) => directories.nameOf(this.directory, sessionId),
  });
  private readonly stall = new StallWatch();
  private readonly stallNote = new StallNote((sessionId) => this.tell({ type: "session:cancel", sessionId }));
  private readonly asked = new AskedLog();
  private readonly times = new TimesDialog(this.asked);
  private readonly connection: Connection;
  private readonly requests: Requests;
  private readonly open: OpenSession;
  private directory = directories.emptyDirectory;
  private isLive = false;
  /** A session that was just started here: its composer gets the focus as soon as it is there. */
  private awaited: SessionId | undefined;

  constructor(
    socketUrl: string,
    private readonly actions: AppActions,
  ) {
    this.connection = new Connection(socketUrl, {
      stateChanged: (state) => this.connectionChanged(state),
      received: (frame) => this.received(frame),
      // It is away, or it does not know this browser any more: only a request tells which.
      refused: () => this.attempt(() => this.loadList()),
    });
    this.requests = new Requests(this.connection);
    this.open = new OpenSession(this.transcript, {
      subscribe: (sessionId, cursor) => this.subscribe({ type: "session:open", sessionId, ...cursor }),
      unsubscribe: (sessionId) => this.tell({ type: "session:close", sessionId }),
      planned: (entries) => this.plan.show(entries),
    });
    this.root.append(this.list.root, this.view.root);
    this.transcript.root.after(this.stallNote.root);
    this.addCommands();
    this.commands.add(...readingCommands(() => this.reading()));
    this.commands.add(...timesCommands(this.times, () => this.reading()));
    this.transcript.timesWanted = (turnId) => {
      const reading = this.reading();
      if (reading) void this.times.open(reading, turnId);
    };
    this.commands.add(...searchCommands(this.find, this.searchPanel, () => this.reading() !== undefined));
  }

  /** What belongs to the page as a whole; the rest is added by whoever does it. */
  private addCommands(): void {
    this.commands.add(
      {
        id: "session.new",
        title: "New session",
        group: "Sessions",
        keys: ["Alt+N"],
        run: () => {
          location.hash = NEW_SESSION;
        },
      },
      {
        id: "composer.focus",
        title: "Write a message",
        group: "Messages",
        keys: ["Alt+M"],
        isAvailable: () => this.open.id !== undefined,
        run: () => this.composer.focus(),
      },
    );
  }

  /** The transcript that is looked at. */
  private reading(): Reading | undefined {
    const { transcript } = this;
    return this.open.id === undefined ? undefined : { sessionId: this.open.id, transcript };
  }

  start(): void {
    this.connection.start();
    listenForKeys(this.commands);
    window.addEventListener("hashchange", () => this.followRoute());
    setInterval(() => this.frame.ask(), CLOCK_MS);
    setInterval(() => this.lookForSilence(), LOOK_MS);
    this.followRoute();
  }

  private followRoute(): void {
    const route = routeOf(location.hash);
    // A login link pasted over this page: only a fresh start uses it.
    if (route.kind === "login") return location.reload();
    this.open.change(route.kind === "session" ? route.sessionId : undefined);
    this.open.show(route.kind === "session" ? route.itemId : undefined);
    this.find.follow(this.open.id);
    this.list.expand(route.kind === "home");
    this.view.clearProblem();
    this.frame.ask();
  }

  private lookForSilence(): void {
    const now = Date.now();
    this.stall.look(now);
    const sessions = directories.sessionsOf(this.directory);
    if (sessions.some(({ activity }) => activity === "running")) this.frame.ask();
    const open = new Set(this.open.id === undefined ? [] : [this.open.id]);
    for (const sessionId of this.stall.unheard(sessions, open, now))
      this.attempt(async () => {
        const { seq } = await historyPage(sessionId, 1);
        this.stall.found(sessionId, seq, Date.now());
      });
  }

  private connectionChanged(state: ConnectionState): void {
    this.status.show(state);
    this.isLive = state === "live";
    this.stall.connected(this.isLive, Date.now());
    this.frame.ask();
    if (state !== "live") return;
    this.directory = directories.greeted(this.directory);
    // Its answer comes after all that a new connection is told.
    this.connection.send({ type: "ping" });
    this.requests.forget();
    this.open.subscribe();
    this.composer.resend();
    this.permissions.reopenAll();
    // What was created while nobody listened is not told again.
    this.attempt(() => this.loadList());
    this.attempt(() => this.loadAgents(false));
  }

  private received(frame: ServerFrame): void {
    const settled = this.requests.settle(frame);
    this.directory = directories.told(this.directory, frame, new Date());
    this.asked.told(frame);
    this.stall.told(frame, Date.now());
    this.frame.ask();
    switch (frame.type) {
      case "session:upsert":
      case "session:delta":
        return this.open.received(frame);
      case "session:turn":
        if (frame.sessionId === this.open.id && frame.payload.type === "turn_started")
          this.permissions.forgetPast();
        return this.open.received(frame);
      case "session:history":
      case "session:plan":
        return this.open.received(frame);
      case "permission:resolved":
        return this.permissions.resolved(frame);
      case "server:draining":
        return this.status.draining();
      case "project:added":
        // One that was removed before comes back with its sessions.
        return this.attempt(() => this.loadList());
      case "session:sent":
        return this.composer.confirmed(frame.clientMessageId);
      case "session:error":
        if (frame.sessionId === this.open.id) this.view.showProblem(frame.message);
        return;
      case "error":
        if (!settled) this.view.showProblem(frame.message);
        return;
      default:
        return;
    }
  }

  private subscribe(frame: ClientFrame): void {
    this.requests.send(frame, (reason) => {
      this.transcript.cannotOpen();
      this.view.showProblem(reason);
    });
  }

  private sendMessage({ sessionId, clientMessageId, content }: Outgoing): void {
    this.frame.ask();
    if (sessionId === this.open.id) this.transcript.sent(clientMessageId);
    this.requests.send({ type: "session:send", sessionId, clientMessageId, content }, (reason) => {
      this.composer.refused(clientMessageId);
      this.frame.ask();
      this.view.showProblem(reason);
    });
  }

  private answer({ sessionId, permissionId }: PermissionRequest, answer: PermissionAnswer): void {
    const reopen = (reason: string) => this.permissions.reopen(permissionId, reason);
    const sent = this.requests.send(
      { type: "permission:answer", sessionId, permissionId, ...answer },
      reopen,
    );
    if (!sent) reopen("There is no connection to the server.");
  }

  /** Sends a message whose refusal is shown with the session. */
  private tell(frame: ClientFrame): void {
    this.requests.send(frame, (reason) => this.view.showProblem(reason));
  }

  private async startSession(request: CreateSessionRequest): Promise<void> {
    try {
      const { sessionId } = await createSession(request);
      this.newSession.started();
      this.awaited = sessionId;
      location.hash = sessionHash(sessionId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.newSession.refused(error.message);
      if (error.status === 401) this.loggedOut();
    }
  }

  private async loadAgents(anew: boolean): Promise<void> {
    this.newSession.showAgents(await agents(anew));
  }

  private async loadList(): Promise<void> {
    const asked = this.directory;
    const known = await projects();
    const lists = await Promise.all(known.map((project) => sessionsOf(project.id)));
    this.directory = directories.listed(this.directory, known, lists.flat(), asked);
    this.frame.ask();
    // The project that was added last, or for a newcomer where projects may be.
    const offered = known.at(-1)?.path ?? (await offeredDirectories("").catch(() => []))[0];
    this.newSession.suggestDirectory(offered);
  }

  private withOpen(work: (sessionId: SessionId) => Promise<void>): void {
    const { id } = this.open;
    if (id !== undefined) this.attempt(() => work(id));
  }

  private attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) this.loggedOut();
      // No answer at all is what the connection state says already.
      else if (error.status !== 0) this.view.showProblem(error.message);
    });
  }

  private loggedOut(): void {
    this.connection.stop();
    this.actions.loggedOut();
  }

  private draw(): void {
    const { directory } = this;
    const openId = this.open.id;
    const now = Date.now();
    const found = directories.sessionOf(directory, openId);
    const session = found && this.stall.marked(found, now);
    const sessions = directories.sessionsOf(directory).map((one) => this.stall.marked(one, now));
    this.stallNote.render(session);
    this.list.render({ sessions, projectNames: directory.projectNames, openId });
    this.view.render({
      openId,
      session,
      status: openId === undefined ? undefined : directory.statuses.get(openId),
      isRemoved: session !== undefined && directories.isRemoved(directory, session),
      permissions: directories.permissionsOf(directory, openId),
      unsent: this.outbox.of(openId),
      isLive: this.isLive,
      hasSessions: sessions.length > 0 || !directory.loaded,
    });
    document.title = pageTitle(session);
    if (session && this.awaited === session.sessionId) {
      this.awaited = undefined;
      this.composer.focus();
    }
  }
}

function pageTitle(session: SessionListItem | undefined): string {
  return session ? `${session.title} · Liminal Builder` : "Liminal Builder";
}
