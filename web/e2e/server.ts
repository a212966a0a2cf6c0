/** A real server for one test: started on a free port with directories of its own, stopped with the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type {
  CreateSessionRequest,
  EventPayload,
  EventsAccepted,
  ImportableSessions,
  Project,
  SessionCreated,
  SessionId,
  StreamEventEnvelope,
  TurnId,
} from "../src/contract";

const BINARY =
  process.env.LIMINAL_BIN ?? fileURLToPath(new URL("../../target/debug/liminal", import.meta.url));
/** Slow enough to be watched. */
const DEMO_AGENT = `
[agents.demo]
env = { LIMINAL_DEMO_PACE_MS = "60" }
`;
/** Whatever is installed on this machine, these agents are not. */
const NO_OTHER_AGENT = `
[agents.claude-code]
command = ["no-such-claude"]
env = { CLAUDE_CONFIG_DIR = "@home@/claude" }
[agents.codex]
command = ["no-such-codex"]
env = { CODEX_HOME = "@home@/codex" }
`;
/** An agent that asks for what its prompt says. */
export const ASKING_AGENT = `
[agents.asking]
protocol = "acp"
command = ["${process.execPath}", "${fileURLToPath(new URL("asking-agent.mjs", import.meta.url))}"]
`;
const README = "# A project\n\nFor the demo agent to read.\n";
const START_MS = 20_000;
const STOP_MS = 10_000;

type Ready = { url: string; token: string; pid: number };
type Directories = { data: string; project: string; home: string };

export class Server {
  private events = 0;
  /** From then on a page may find nobody at its address. */
  wasAway = false;

  private constructor(
    private child: ChildProcess,
    private ready: Ready,
    private readonly directories: Directories,
  ) {}

  static async start(settings = "", flags: string[] = []): Promise<Server> {
    const directories = {
      data: await temporary("data"),
      project: await temporary("project"),
      home: await temporary("home"),
    };
    const others = settings.includes("[agents.claude-code]") ? "" : NO_OTHER_AGENT;
    const agents = DEMO_AGENT + others.replaceAll("@home@", directories.home);
    await writeFile(join(directories.data, "config.toml"), agents + settings);
    await writeFile(join(directories.project, "README.md"), README);
    const { child, ready } = await launched("127.0.0.1:0", directories, flags);
    return new Server(child, ready, directories);
  }

  /** Ends the server without a warning. */
  async kill(): Promise<void> {
    const gone = once(this.child, "exit");
    this.wasAway = true;
    this.child.kill("SIGKILL");
    await gone;
  }

  /** Tells the server to stop, without waiting for it. */
  askToStop(): void {
    this.wasAway = true;
    this.child.kill("SIGTERM");
  }

  /** As a server that has just been installed beside agents that were used before: logins stay, sessions are unknown. */
  async startAnew(): Promise<void> {
    this.wasAway = true;
    await stopped(this.child);
    for (const name of await readdir(this.directories.data))
      if (name.startsWith("journal")) await rm(join(this.directories.data, name));
    await this.restart();
  }

  /** Starts it again after it has ended: at the same address, with the same data. */
  async restart(): Promise<void> {
    this.wasAway = true;
    await stopped(this.child);
    const { child, ready } = await launched(new URL(this.ready.url).host, this.directories);
    this.child = child;
    this.ready = ready;
  }

  async stop(): Promise<void> {
    await stopped(this.child);
    for (const directory of Object.values(this.directories))
      await rm(directory, { recursive: true, force: true });
  }

  /** Works once. */
  get loginUrl(): string {
    return this.ready.url;
  }

  /** The address without the login code. */
  get origin(): string {
    return new URL(this.ready.url).origin;
  }

  get token(): string {
    return this.ready.token;
  }

  /** Where projects may live. */
  get projectDirectory(): string {
    return this.directories.project;
  }

  async createSession(title: string): Promise<SessionId> {
    return this.create({ cliType: "external", projectDir: this.directories.project, title });
  }

  /** A session of an agent that the settings know. */
  async createAgentSession(cliType: string): Promise<SessionId> {
    return this.create({ cliType, projectDir: this.directories.project });
  }

  /** Where agents keep their own sessions. */
  get agentHome(): string {
    return this.directories.home;
  }

  /** Takes over the newest session that an agent of this type kept by itself. */
  async importSession(cliType: string): Promise<SessionId> {
    const path = this.directories.project;
    const project = (await this.postJson<Project>("/api/projects", { path })).id;
    const { sessions } = await this.get<ImportableSessions>(`/api/projects/${project}/importable`);
    const kept = sessions.find((session) => session.cliType === cliType);
    if (!kept) throw new Error(`there is no session of ${cliType} to import`);
    const wanted = { cliType, providerSessionId: kept.providerSessionId, projectId: project };
    return (await this.postJson<SessionCreated>("/api/session/import", wanted)).sessionId;
  }

  async send(sessionId: SessionId, content: string): Promise<void> {
    await this.postJson(`/api/session/${sessionId}/send`, { content });
  }

  /** Says something and waits until the agent has answered: only so many messages may wait. */
  async talk(sessionId: SessionId, content: string): Promise<void> {
    await this.send(sessionId, content);
    await this.get(`/api/session/${sessionId}/wait`);
  }

  /** Asks anything else of the API. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { ...this.credential, "Content-Type": "application/json" };
    return this.ask(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  private async create(request: CreateSessionRequest): Promise<SessionId> {
    return (await this.postJson<SessionCreated>("/api/session/create", request)).sessionId;
  }

  /** Posts payloads of one turn, wrapped as envelopes, in one request. */
  async postEvents(sessionId: SessionId, turnId: TurnId, ...payloads: EventPayload[]): Promise<void> {
    const lines = payloads.map((payload) => `${JSON.stringify(this.envelope(sessionId, turnId, payload))}\n`);
    const path = `/api/session/${sessionId}/events`;
    const { accepted } = await this.post<EventsAccepted>(path, "application/x-ndjson", lines.join(""));
    if (accepted !== payloads.length)
      throw new Error(`${accepted} of ${payloads.length} events were accepted`);
  }

  private envelope(sessionId: SessionId, turnId: TurnId, payload: EventPayload): StreamEventEnvelope {
    this.events += 1;
    const timestamp = new Date().toISOString();
    return { eventId: `e${this.events}`, timestamp, turnId, sessionId, type: payload.type, payload };
  }

  private async get<T>(path: string): Promise<T> {
    return this.ask(path, { headers: this.credential });
  }

  private async postJson<T>(path: string, body: unknown): Promise<T> {
    return this.post(path, "application/json", JSON.stringify(body));
  }

  private async post<T>(path: string, contentType: string, body: string): Promise<T> {
    const headers = { ...this.credential, "Content-Type": contentType };
    return this.ask(path, { method: "POST", headers, body });
  }

  private get credential(): { Authorization: string } {
    return { Authorization: `Bearer ${this.ready.token}` };
  }

  private async ask<T>(path: string, request: RequestInit): Promise<T> {
    const response = await fetch(this.origin + path, request);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

async function launched(
  listen: string,
  { data, project }: Directories,
  flags: string[] = [],
): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = spawn(
    BINARY,
    ["serve", "--listen", listen, "--ready", "json", "--data-dir", data, ...flags],
    {
      env: { ...process.env, LIMINAL_ALLOWED_ROOTS: project },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ready = await readyLine(child).catch(async (error: unknown) => {
    await stopped(child);
    throw error;
  });
  return { child, ready };
}

/** The canonical path: the server compares project directories with its allowed roots after resolving links. */
async function temporary(name: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `liminal-e2e-${name}-`)));
}

async function readyLine(child: ChildProcess): Promise<Ready> {
  if (!child.stdout) throw new Error("the server has no stdout");
  const line = once(createInterface(child.stdout), "line") as Promise<[string]>;
  const failed = once(child, "error").then(([error]) => Promise.reject(error));
  const exited = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`the server exited with ${code}`)),
  );
  const [ready] = await within(
    START_MS,
    Promise.race([line, failed, exited]),
    "the server did not get ready",
  );
  return JSON.parse(ready) as Ready;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await within(STOP_MS, gone, "the server did not stop").catch((error: unknown) => {
    child.kill("SIGKILL");
    throw error;
  });
}

async function within<T>(ms: number, work: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
