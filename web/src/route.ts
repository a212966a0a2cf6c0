/** What the address asks for. The server serves one page, so everything is in the fragment. */
import type { ItemId, SessionId } from "./contract";

export type Route =
  | { kind: "login"; code: string }
  | { kind: "session"; sessionId: SessionId; itemId?: ItemId }
  | { kind: "new" }
  | { kind: "home" };

const LOGIN = "#login=";
const SESSION = "#/s/";
const ITEM = "/i/";
/** Where a session is started. */
export const NEW_SESSION = "#/new";

export function routeOf(hash: string): Route {
  if (hash.startsWith(LOGIN)) return { kind: "login", code: decoded(hash.slice(LOGIN.length)) };
  if (hash.length > SESSION.length && hash.startsWith(SESSION)) {
    return sessionRoute(hash.slice(SESSION.length));
  }
  return { kind: hash === NEW_SESSION ? "new" : "home" };
}

export function sessionHash(sessionId: SessionId): string {
  return SESSION + encodeURIComponent(sessionId);
}

/** A place in a session. */
export function itemHash(sessionId: SessionId, itemId: ItemId): string {
  return sessionHash(sessionId) + ITEM + encodeURIComponent(itemId);
}

function sessionRoute(path: string): Route {
  const [sessionId = "", itemId = ""] = path.split(ITEM, 2).map(decoded);
  return { kind: "session", sessionId, ...(itemId !== "" && { itemId }) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
