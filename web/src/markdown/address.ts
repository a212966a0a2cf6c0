/** Where a link leads, if it may lead there at all. */
import { visibleLine } from "../text/visible-text";

export type Address = {
  href: string;
  /** The part that says whose it is. */
  host: string;
  /** What the link may be called without its host beside it. */
  names: readonly string[];
};

const ALLOWED = new Set(["http:", "https:", "mailto:"]);
const CONTROL = /\p{Cc}/gu;

/** Only whole addresses of the web and of mail; nothing that is relative to this page or runs in it. */
export function addressOf(written: string): Address | undefined {
  const cleaned = written.replace(CONTROL, "").trim();
  const url = parsed(cleaned);
  if (!url || !ALLOWED.has(url.protocol)) return undefined;
  if (url.protocol === "mailto:") {
    const host = visibleLine(url.pathname);
    return { href: url.href, host, names: [host, url.href] };
  }
  if (url.host === "") return undefined;
  // An address with a name before its host, or with letters that look like others, looks like one of another host.
  const isPlain = url.username === "" && url.password === "" && cleaned.toLowerCase().includes(url.host);
  const names = isPlain ? [cleaned, url.href, url.host] : [];
  return { href: url.href, host: url.host, names: [...names, ...names.map(withoutScheme)] };
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\//, "");
}
