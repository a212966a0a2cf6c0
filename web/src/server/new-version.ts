/** Notices that the server serves another page than the one that runs here, as it does after an update. */

/** The script that a page starts with, by its address; its name changes with what is in it. Pure. */
export function mainScript(html: string): string | undefined {
  const tags = html.match(/<script\b[^>]*>/gi) ?? [];
  const main = tags.find((tag) => /\btype="?module\b/i.test(tag)) ?? tags[0];
  return /\bsrc="([^"]+)"/i.exec(main ?? "")?.[1];
}

/** Whether another version is served. When it cannot be found out, none is. */
export async function isNewVersionServed(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.getAttribute("src");
  try {
    const response = await fetch("/", { cache: "no-store", credentials: "same-origin" });
    const served = response.ok ? mainScript(await response.text()) : undefined;
    return served !== undefined && running !== null && running !== undefined && served !== running;
  } catch {
    return false;
  }
}
