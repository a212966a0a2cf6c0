/** The page without our server: its files as they are, and a socket that says what it is told to. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ServerFrame, SessionId, SessionListItem } from "../src/contract";

/** What the answer to a WebSocket's key is made with (RFC 6455). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Headers that say how an answer came, not what it is. The others, the content security policy among them, are passed on. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

export class BareServer {
  private socket: Duplex | undefined;
  /** Told what was posted, which is accepted whatever it is. */
  onPost: (body: string) => void = () => {};

  private constructor(private readonly server: Server) {}

  /** Serves what `origin` serves, besides these answers of the API. */
  static async start(origin: string, answers: Record<string, unknown>): Promise<BareServer> {
    const server = createServer((request, response) => {
      if (request.method === "POST") {
        bare.take(request, response);
        return;
      }
      const path = String(request.url).split("?")[0] ?? "";
      if (path in answers) {
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(answers[path]));
        return;
      }
      fetch(origin + request.url)
        .then(async (found) => {
          for (const [name, value] of found.headers)
            if (!OF_THE_CONNECTION.has(name)) response.setHeader(name, value);
          response.writeHead(found.status).end(Buffer.from(await found.arrayBuffer()));
        })
        .catch(() => response.writeHead(502).end());
    });
    const bare = new BareServer(server);
    server.on("upgrade", (request, socket) => bare.accept(request, socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return bare;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get isOpen(): boolean {
    return this.socket !== undefined;
  }

  /** Greets a page and tells it of an empty session. */
  open(sessionId: SessionId): void {
    this.say({ type: "session:hello:ack", selectedFamily: "upsert-v2" });
    this.say({ type: "pong" });
    const nothing = { entries: [], turns: [], more: false };
    this.say({ type: "session:history", sessionId, mode: "full", epoch: "e", seq: 0, ...nothing });
  }

  say(frame: ServerFrame): void {
    this.socket?.write(encoded(JSON.stringify(frame)));
  }

  stop(): void {
    this.socket?.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      this.onPost(Buffer.concat(parts).toString());
      response.setHeader("Content-Type", "application/json").end("{}");
    });
  }

  private accept(request: IncomingMessage, socket: Duplex): void {
    const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${GUID}`).digest("base64");
    const protocol = String(request.headers["sec-websocket-protocol"] ?? "")
      .split(",")[0]
      ?.trim();
    const named = protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : "";
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n${named}\r\n`,
    );
    socket.on("error", () => undefined);
    this.socket = socket;
  }
}

/** What the API says where there is one session, and nothing else. */
export function answersFor(sessionId: SessionId): Record<string, unknown> {
  const now = new Date().toISOString();
  const session: SessionListItem = {
    sessionId,
    projectId: "p",
    cliType: "external",
    title: "Told",
    status: "open",
    activity: "idle",
    createdAt: now,
    lastActiveAt: now,
    archived: false,
    source: "created",
  };
  return {
    "/api/projects": [{ id: "p", path: "/p", name: "p", addedAt: now }],
    "/api/agents": [],
    "/api/permissions": [],
    "/api/decisions": [],
    "/api/session/list": { sessions: [session] },
    "/api/fs/dirs": { dirs: [] },
  };
}

/** One text frame; what a server says is not masked. */
function encoded(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length < 126) return Buffer.concat([Buffer.from([0x81, payload.length]), payload]);
  const head = Buffer.alloc(payload.length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  head[1] = head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  else head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
