/** What a browser has to fetch before the page is there. */
import { gzipSync } from "node:zlib";
import { test } from "../e2e/fixtures";
import { judge, table, tell } from "./tell";

test("the first load", async ({ server }) => {
  const page = await (await fetch(server.origin)).text();
  const names = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => String(name));
  const sizes = await Promise.all(names.map((name) => compressed(server.origin + name)));
  const whole = sizes.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
  tell(
    `### The first load\n\n${table(
      ["file", "KB, gzip"],
      sizes.map(({ kind, kilobytes }) => [kind, kilobytes]),
    )}\n`,
  );
  judge({
    name: "web_bundle",
    text: "scripts and styles of the first load",
    atMost: 120,
    value: whole,
    unit: " KB",
  });
});

async function compressed(url: string): Promise<{ kind: string; kilobytes: number }> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  return { kind: url.endsWith(".css") ? "styles" : "script", kilobytes: gzipSync(bytes).length / 1024 };
}
