/** What the address asks for. The server serves one page, so everything is in the fragment. */
import type { ItemId, SessionId } from "./contract";

export type Route =
  | { kind: "login"; code: string }
  | { kind: "session"; sessionId: SessionId; itemId?: ItemId }
  | { kind: "new" }
  | { kind: "inbox" }
  | { kind: "wall" }
  | { kind: "home" };

const LOGIN = "#login=";
const SESSION = "#/s/";
/** Where a session is started. */
export const NEW_SESSION = "#/new";
/** What waits for someone. */
export const INBOX = "#/inbox";
/** All sessions that live. */
export const WALL = "#/wall";
/** Where nothing is open. */
export const HOME = "#/";

export function routeOf(hash: string): Route {
  if (hash.startsWith(LOGIN)) return { kind: "login", code: decoded(hash.slice(LOGIN.length)) };
  if (hash.length > SESSION.length && hash.startsWith(SESSION)) {
    return sessionRoute(hash.slice(SESSION.length));
  }
  if (hash === INBOX) return { kind: "inbox" };
  if (hash === WALL) return { kind: "wall" };
  return { kind: hash === NEW_SESSION ? "new" : "home" };
}

/** Where the form to start a session is in sight. */
export function isStartRoute({ kind }: Route): boolean {
  return kind === "new" || kind === "home";
}

export function sessionHash(sessionId: SessionId): string {
  return SESSION + encodeURIComponent(sessionId);
}

export function itemHash(sessionId: SessionId, itemId: ItemId): string {
  return `${sessionHash(sessionId)}/i/${encodeURIComponent(itemId)}`;
}

/** The whole address of an item, to be given to others. */
export function itemLink(sessionId: SessionId, itemId: ItemId): string {
  return new URL(itemHash(sessionId, itemId), location.href).href;
}

function sessionRoute(path: string): Route {
  const [sessionId = "", kind, itemId] = path.split("/").map(decoded);
  return kind === "i" && itemId ? { kind: "session", sessionId, itemId } : { kind: "session", sessionId };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
