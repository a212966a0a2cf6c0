/** The page without our server: its files as they are, and a socket that says what it is told to. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { ServerFrame } from "../src/contract";

/** What the answer to a WebSocket's key is made with (RFC 6455). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export class BareServer {
  private socket: Duplex | undefined;

  private constructor(private readonly server: Server) {}

  /** Serves what `origin` serves, besides these answers of the API. */
  static async start(origin: string, answers: Record<string, unknown>): Promise<BareServer> {
    const server = createServer((request, response) => {
      const path = String(request.url).split("?")[0] ?? "";
      if (path in answers) {
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(answers[path]));
        return;
      }
      fetch(origin + request.url)
        .then(async (found) => {
          response.writeHead(found.status, { "Content-Type": found.headers.get("content-type") ?? "" });
          response.end(Buffer.from(await found.arrayBuffer()));
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

  say(frame: ServerFrame): void {
    this.socket?.write(encoded(JSON.stringify(frame)));
  }

  stop(): void {
    this.socket?.destroy();
    this.server.closeAllConnections();
    this.server.close();
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

/** One text frame; what a server says is not masked. */
function encoded(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, payload.length])
      : Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, payload]);
}
