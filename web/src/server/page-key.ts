/**
 * The key of this page, which a login brings beside the cookie. The server wants both.
 *
 * Browsers send cookies to every port of a host, so other servers on this machine may see ours. What is kept here belongs to
 * this origin alone, port included.
 */
const NAME = "liminal-page-key";

/** Where storage is refused, the key lives as long as the page. */
let unkept: string | undefined;

export function rememberPageKey(key: string): void {
  unkept = key;
  try {
    localStorage.setItem(NAME, key);
  } catch {
    // The reader forbids storage: a reload will need a new login link.
  }
}

/** What every request says. */
export function pageHeaders(): Record<string, string> {
  const key = pageKey();
  return key === undefined ? {} : { "Liminal-Page-Key": key };
}

/** What a WebSocket offers: browsers let a page add nothing else to its opening. */
export function socketProtocols(): string[] {
  const key = pageKey();
  return key === undefined ? ["liminal"] : ["liminal", `liminal.page-key.${key}`];
}

function pageKey(): string | undefined {
  try {
    return localStorage.getItem(NAME) ?? unkept;
  } catch {
    return unkept;
  }
}
