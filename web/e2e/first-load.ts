/** What a browser has to fetch before the page is there. */
import { gzipSync } from "node:zlib";

export type Fetched = { kind: "script" | "styles"; kilobytes: number };

/** Scripts and styles of the first load, compressed, may be this many kilobytes. */
export const FIRST_LOAD_KB = 120;

export async function firstLoad(origin: string): Promise<Fetched[]> {
  const page = await (await fetch(origin)).text();
  const names = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => String(name));
  return Promise.all(names.map((name) => compressed(origin + name)));
}

export function kilobytesOf(fetched: Fetched[]): number {
  return fetched.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
}

async function compressed(url: string): Promise<Fetched> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  return { kind: url.endsWith(".css") ? "styles" : "script", kilobytes: gzipSync(bytes).length / 1000 };
}
