/** What the address asks for. The server serves one page, so everything is in the fragment. */
import type { SessionId } from "./contract";

export type Route =
  | { kind: "login"; code: string }
  | { kind: "session"; sessionId: SessionId }
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

export function routeOf(hash: string): Route {
  if (hash.startsWith(LOGIN)) return { kind: "login", code: decoded(hash.slice(LOGIN.length)) };
  if (hash.length > SESSION.length && hash.startsWith(SESSION)) {
    return { kind: "session", sessionId: decoded(hash.slice(SESSION.length)) };
  }
  if (hash === INBOX) return { kind: "inbox" };
  if (hash === WALL) return { kind: "wall" };
  return { kind: hash === NEW_SESSION ? "new" : "home" };
}

export function sessionHash(sessionId: SessionId): string {
  return SESSION + encodeURIComponent(sessionId);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
