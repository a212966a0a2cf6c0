/** The page of someone who is logged in: passes on what the server tells and what the reader asks for. */

import { Address } from "./address";
import { AgentsFoot } from "./agent/agents-foot";
import { Announcer } from "./announce/announcer";
import { QuestionsAloud } from "./announce/questions-aloud";
import { whatToSay } from "./announce/what-to-say";
import { Commands } from "./commands/commands";
import { listenForKeys } from "./commands/key-listener";
import { addPageCommands } from "./commands/page-commands";
import { imageStore } from "./compose/image-store";
import { browserStore, KeptTexts } from "./compose/kept-text";
import type {
  ClientFrame,
  CreateSessionRequest,
  ServerFrame,
  SessionId,
  SessionListItem,
  TurnId,
} from "./contract";
import { dialogs } from "./dialogs-later";
import * as directories from "./directory/directory";
import { element } from "./dom/dom";
import { NextFrame } from "./dom/next-frame";
import { followPointer } from "./dom/pointer-place";
import { followPlaces } from "./dom/still-place";
import { Notifier } from "./notify/notifier";
import { Overview } from "./overview/overview";
import type { Sources } from "./palette/entries";
import { toolRow } from "./palette/tool-row";
import { preferences } from "./preferences/preferences";
import { skipLink } from "./regions/skip-link";
import { isStartRoute, NEW_SESSION, routeOf, sessionHash } from "./route";
import { searchCommands } from "./search/search-commands";
import {
  ApiError,
  agents,
  cancelTurn,
  createSession,
  decisions,
  directories as offeredDirectories,
  startAgent,
  wholeItem,
} from "./server/api";
import { Connection, type ConnectionState } from "./server/connection";
import { wholeList } from "./server/list-api";
import { sendFrame } from "./server/message-sender";
import { Outbox, type Outgoing } from "./server/outbox";
import { Requests } from "./server/requests";
import { openCommands } from "./session/open-commands";
import { OpenSessions } from "./session/open-sessions";
import { PlanPanel } from "./session/plan-panel";
import { SessionView } from "./session/session-view";
import { StatusBar } from "./session/status-bar";
import { Talk } from "./session/talk";
import { VersionBanner } from "./session/version-banner";
import { PageNotes } from "./shell/page-notes";
import { Shell } from "./shell/shell";
import { StallNote } from "./stall/stall-note";
import { LOOK_MS, StallWatch } from "./stall/stall-watch";
import { recentProjects } from "./start/directory-offer";
import { NewSessionForm } from "./start/new-session-form";
import { nameLastTab } from "./tabs/last-tab";
import { visibleName } from "./text/visible-text";
import { lastEndOf, promptsOf } from "./timeline/prompts";
import type { Reading } from "./transcript/reading-commands";
import { Transcript } from "./transcript/transcript";
import { AskedLog } from "./turn-times/asked-log";

export type AppActions = { loggedOut(): void };

/** Relative times in the list are rewritten this often. */
const CLOCK_MS = 30_000;

export class App {
  readonly root = element("div", "app");
  readonly commands = new Commands();
  private readonly announcer = new Announcer();
  private readonly notifier = new Notifier(browserStore(), preferences, {
    open: (sessionId) => this.goTo(sessionId),
    told: (notice) => {
      if (notice.sessionId !== this.open.id) this.announcer.say(`${notice.title}: ${notice.text}`);
    },
  });
  private readonly overview = new Overview({
    send: (frame, refused, taken) => this.requests.send(frame, refused, taken),
    isLive: () => this.isLive,
    draw: () => this.frame.ask(),
    directory: () => this.directory,
    decisions: (sessionId) => decisions(sessionId).catch(() => []),
    say: (sessionId, text) => this.talk.composer.sayIn(sessionId, text),
    putBack: (sessionId, text) => this.talk.composer.putBack(text, sessionId),
    stop: (sessionId) => this.stopTurn(sessionId),
    resume: (sessionId) => this.attempt(() => startAgent(sessionId)),
    loadList: () => this.attempt(() => this.loadList()),
  });
  private readonly aloud = new QuestionsAloud(this.announcer);
  private readonly status = new StatusBar((text) => this.announcer.say(text));
  private readonly images = imageStore();
  private readonly outbox = new Outbox(browserStore(), undefined, undefined, this.images);
  private readonly drafts = new KeptTexts("liminal-draft ", browserStore());
  private readonly talk = new Talk({
    outbox: this.outbox,
    drafts: this.drafts,
    images: this.images,
    isLive: () => this.isLive,
    bySocket: (message, refused) => {
      this.showSent(message);
      return this.requests.send(sendFrame(message), refused);
    },
    prompts: () => promptsOf(this.open.known),
    lastEnd: () => lastEndOf(this.open.known),
    problem: (text) => this.notes.showProblem(text),
    changed: () => this.frame.ask(),
    loggedOut: () => this.loggedOut(),
  });
  private readonly version = new VersionBanner();
  private readonly notes = new PageNotes(this.status.banner, this.version.root);
  private readonly plan = new PlanPanel();
  private readonly newSession = new NewSessionForm(
    {
      start: (request, firstPrompt) => void this.startSession(request, firstPrompt),
      lookAgain: () => this.attempt(() => this.loadAgents(true)),
      directories: (written) => offeredDirectories(written).catch(() => []),
    },
    this.drafts,
  );
  private readonly view: SessionView;
  private readonly shell: Shell;
  private readonly frame = new NextFrame(() => this.draw());
  private readonly address = new Address(() => this.followRoute());
  private readonly stall = new StallWatch();
  private readonly stallNote = new StallNote({
    stop: (sessionId) => this.stopTurn(sessionId),
    end: () => this.talk.askToEnd(),
  });
  private readonly askedLog = new AskedLog();
  private readonly agentsFoot = new AgentsFoot((cliType) =>
    this.tell({ type: "session:reconnect", cliType }),
  );
  private readonly dialogs = dialogs.make(({ FindBar, SearchPanel, TimesDialog }) => {
    const nameOf = (sessionId: SessionId) => directories.nameOf(this.directory, sessionId);
    const asked = (sessionId: SessionId) => this.askedLog.of(sessionId, this.overview.decisionsOf(sessionId));
    const find = new FindBar(() => this.reading());
    return { find, search: new SearchPanel({ nameOf }), times: new TimesDialog(asked) };
  });
  private readonly connection: Connection;
  private readonly requests: Requests;
  private readonly open: OpenSessions;
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
    this.open = new OpenSessions(() => this.makeTranscript(), {
      subscribe: (sessionId, cursor) => this.subscribe({ type: "session:open", sessionId, ...cursor }),
      unsubscribe: (sessionId) => this.tell({ type: "session:close", sessionId }),
      planned: (entries) => this.plan.show(entries),
      changed: (before, update, isLive) => {
        const { saysTools } = preferences.all;
        for (const text of whatToSay(before, update, { isLive, saysTools })) this.announcer.say(text);
      },
    });
    this.view = this.makeView();
    this.shell = new Shell(this.root, this.view.root, this.view.headerRoot, {
      changed: () => this.frame.ask(),
      attempt: (work) => this.attempt(work),
      startIn: (path) => this.newSession.chooseDirectory(path),
      loadList: () => this.attempt(() => this.loadList()),
      closed: (sessionId) => this.open.release(sessionId),
      isMuted: (sessionId) => this.notifier.isMuted(sessionId),
      mute: (sessionId, mute) => this.mute(sessionId, mute),
      directories: (written) => offeredDirectories(written).catch(() => []),
    });
    this.addLater();
    this.addCommands();
    this.overview.addCommands(this.commands);
    this.view.root.after(this.overview.frames.inbox.root, this.overview.frames.wall.root);
    this.shell.sidebar.list.root.firstElementChild?.after(this.overview.links.root);
    this.view.headerRoot.append(this.overview.links.badge);
    this.view.headerRoot.after(this.notes.root);
    this.shell.sidebar.list.root.append(this.agentsFoot.root, toolRow(this.commands));
    this.root.prepend(skipLink(this.view.main));
    this.root.append(this.announcer.root);
    this.open.root.after(this.stallNote.root);
    preferences.follow(() => this.frame.ask());
  }

  private makeTranscript(): Transcript {
    const transcript = new Transcript({
      showWhole: (itemId) => this.attempt(() => this.open.loadWhole(itemId)),
      whole: ({ sessionId, itemId }) => wholeItem(sessionId, itemId),
    });
    transcript.timesWanted = (turnId) => {
      const reading = this.reading();
      if (reading) this.showTimes(reading, turnId);
    };
    return transcript;
  }

  private showTimes(reading: Reading, turnId: TurnId): void {
    this.dialogs.use(({ times }) => void times.open(reading, turnId));
  }

  /** The transcript that is looked at. */
  private reading(): Reading | undefined {
    const { id, transcript } = this.open;
    return id === undefined ? undefined : { sessionId: id, transcript };
  }

  private makeView(): SessionView {
    const { open, status, overview, talk, plan, newSession } = this;
    return new SessionView({
      status,
      get transcript() {
        return open.transcript;
      },
      transcripts: open.root,
      permissions: overview.dock,
      talk,
      plan,
      newSession,
    });
  }

  /** What belongs to the page as a whole; the rest is added by whoever does it. */
  private addCommands(): void {
    this.commands.add(
      ...openCommands(
        () => this.open.id !== undefined,
        () => this.talk.composer.focus(),
      ),
      ...this.agentsFoot.commands,
      ...searchCommands(this.dialogs, () => this.reading() !== undefined),
    );
    addPageCommands(this.commands, {
      preferences,
      places: () => this.places(),
      say: (text) => this.announcer.say(text),
    });
  }

  /** Most of them are fetched after the page: none is needed for it to be drawn, and keys wait for them. */
  private addLater(): void {
    const reading = () => this.reading();
    const showTimes = (of: Reading, turnId: TurnId) => this.showTimes(of, turnId);
    dialogs.whenHere(({ shellCommands, readingCommands, talkCommands, itemCommands, timesCommands }) =>
      this.commands.add(
        ...talkCommands(this.talk),
        ...shellCommands(this.shell),
        ...readingCommands(reading),
        ...itemCommands(reading),
        ...timesCommands(showTimes, reading),
      ),
    );
  }

  private places(): Omit<Sources, "commands"> {
    return {
      sessions: directories.sessionsOf(this.directory),
      projects: Array.from(this.directory.projectNames, ([id, name]) => ({ id, name })),
      open: (sessionId) => this.goTo(sessionId),
      startIn: (projectId) => {
        const path = this.directory.projectPaths.get(projectId);
        if (path !== undefined) this.newSession.chooseDirectory(path);
        location.hash = NEW_SESSION;
      },
    };
  }

  private mute(sessionId: SessionId, mute: boolean): void {
    this.notifier.mute(sessionId, mute);
    this.announcer.say(mute ? "This session is muted." : "This session is not muted any more.");
  }

  private goTo(sessionId: SessionId): void {
    location.hash = sessionHash(sessionId);
  }

  start(): void {
    this.connection.start();
    listenForKeys(this.commands, () => this.address.catchUp() && this.frame.now());
    followPointer();
    followPlaces();
    setInterval(() => this.frame.ask(), CLOCK_MS);
    setInterval(() => this.lookForSilence(), LOOK_MS);
    nameLastTab();
    this.address.start();
    this.frame.now();
  }

  private followRoute(): void {
    const route = routeOf(location.hash);
    // A login link pasted over this page: only a fresh start uses it.
    if (route.kind === "login") return location.reload();
    this.open.change(route.kind === "session" ? route.sessionId : undefined);
    this.notifier.shows(route.kind === "session" ? route.sessionId : route.kind);
    this.open.showItem(route.kind === "session" ? route.itemId : undefined);
    this.dialogs.ifMade(({ find }) => find.follow(this.open.id));
    this.view.root.hidden = !this.overview.follow(route.kind, this.view.headerRoot, this.notes.root);
    this.shell.follow(this.open.id, route.kind === "home");
    this.notes.clearProblem();
    this.frame.ask();
  }

  private lookForSilence(): void {
    this.stall.look(Date.now());
    const sessions = directories.sessionsOf(this.directory);
    if (sessions.some(({ activity }) => activity === "running")) this.frame.ask();
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
    this.talk.sender.sendAll();
    void this.version.connected();
    this.overview.connected();
    // What was created while nobody listened is not told again.
    this.attempt(() => this.loadList());
    this.attempt(() => this.loadAgents(false));
  }

  private received(frame: ServerFrame): void {
    const settled = this.requests.settle(frame);
    this.overview.received(frame);
    this.stall.told(frame, Date.now());
    // Told all the time, and drawn by whoever looks.
    if (frame.type === "session:glance") return;
    this.directory = directories.told(this.directory, frame);
    if (frame.type === "pong") this.notifier.begin(this.directory);
    this.notifier.follow(this.directory);
    this.talk.received(frame);
    this.askedLog.told(frame);
    this.agentsFoot.received(frame);
    this.frame.ask();
    switch (frame.type) {
      case "session:upsert":
      case "session:delta":
        return this.open.received(frame);
      case "session:turn":
        if (frame.sessionId === this.open.id && frame.payload.type === "turn_started")
          this.overview.dock.forgetPast();
        return this.open.received(frame);
      case "session:history":
      case "session:plan":
        return this.open.received(frame);
      case "session:archived":
        return this.shell.archived(frame.sessionId);
      case "server:draining":
        return this.status.draining();
      case "project:added":
        // One that was removed before comes back with its sessions.
        return this.attempt(() => this.loadList());
      case "session:sent":
        return this.talk.sender.confirmed(frame.clientMessageId);
      case "session:error":
        if (frame.sessionId === this.open.id) this.notes.showProblem(frame.message);
        return;
      case "error":
        if (!settled) this.notes.showProblem(frame.message);
        return;
      default:
        return;
    }
  }

  private subscribe(frame: Extract<ClientFrame, { type: "session:open" }>): void {
    this.requests.send(frame, (reason) => {
      this.open.cannotOpen(frame.sessionId);
      this.notes.showProblem(`Could not load the session: ${reason}`);
    });
  }

  /** Sends a message whose refusal is shown with the session. */
  private tell(frame: ClientFrame): void {
    this.requests.send(frame, (reason) => this.notes.showProblem(reason));
  }

  /** The one that is known to run: what waits behind it may have begun when this arrives. */
  private stopTurn(sessionId: SessionId): void {
    const turnId = this.directory.statuses.get(sessionId)?.turnId;
    this.attempt(() => cancelTurn(sessionId, turnId === undefined ? {} : { turnId }));
  }

  private async startSession(request: CreateSessionRequest, firstPrompt: string): Promise<void> {
    try {
      const { sessionId } = await createSession(request);
      this.newSession.started(firstPrompt);
      this.talk.composer.sayIn(sessionId, firstPrompt);
      // Who went elsewhere meanwhile stays there: what they type is not meant for it.
      if (!isStartRoute(routeOf(location.hash))) return;
      this.awaited = sessionId;
      location.hash = sessionHash(sessionId);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.newSession.refused(error.message);
      if (error.status === 401) this.loggedOut();
    }
  }

  private async loadAgents(anew: boolean): Promise<void> {
    const found = await agents(anew).catch((error: unknown) => {
      this.newSession.agentsFailed();
      throw error;
    });
    this.newSession.showAgents(found);
    this.agentsFoot.show(found);
    this.talk.showAgents(found);
  }

  private async loadList(): Promise<void> {
    const asked = this.directory;
    const { projects, sessions, missing, failure } = await wholeList();
    if (missing !== "all") this.directory = directories.listed(this.directory, projects, sessions, asked);
    // That there is no connection is said already: what was listed before stays.
    if (failure?.status !== 0 || !this.directory.loaded) this.directory = { ...this.directory, missing };
    this.notifier.follow(this.directory);
    this.frame.ask();
    await this.newSession.showPlaces(missing === "all" ? undefined : recentProjects(projects, sessions));
    if (failure) throw failure;
  }

  private attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) this.loggedOut();
      // No answer at all is what the connection state says already.
      else if (error.status !== 0) this.notes.showProblem(error.message);
    });
  }

  private loggedOut(): void {
    this.connection.stop();
    this.isLive = false;
    this.notifier.follow(directories.emptyDirectory);
    this.actions.loggedOut();
  }

  private draw(): void {
    const directory = this.stall.markedIn(this.directory, Date.now());
    const openId = this.open.id;
    const session = directories.sessionOf(directory, openId);
    const sessions = directories.sessionsOf(directory);
    this.overview.render(directory);
    this.open.transcript.showDecisions(this.overview.decisionsOf(openId));
    this.shell.render(directory, openId);
    this.stallNote.render(session, this.talk.canEnd);
    for (const message of this.outbox.of(openId)) this.showSent(message);
    this.view.render({
      openId,
      session,
      status: openId === undefined ? undefined : directory.statuses.get(openId),
      isRemoved: session !== undefined && directories.isRemoved(directory, session),
      permissions: directories.permissionsOf(directory, openId),
      unsent: this.outbox.of(openId),
      isLive: this.isLive,
      hasSessions: sessions.length > 0,
      isLoaded: directory.loaded,
      spent: this.open.spent,
    });
    this.notifier.name(pageTitle(session));
    this.aloud.ask(directories.permissionsOf(directory, openId));
    if (session && this.awaited === session.sessionId) {
      this.awaited = undefined;
      this.talk.composer.focus();
    }
  }

  /** Who has written something wants to see it; who reads the same session in another window does not. */
  private showSent(message: Outgoing): void {
    const isHere = message.sessionId === this.open.id && this.outbox.isOwn(message);
    if (isHere) this.open.transcript.sent(message.clientMessageId);
  }
}

function pageTitle(session: SessionListItem | undefined): string {
  return session ? `${visibleName(session.title)} · Liminal Builder` : "Liminal Builder";
}
