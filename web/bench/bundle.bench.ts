/** What a browser has to fetch before the page is there. */
import { FIRST_LOAD_KB, firstLoad, kilobytesOf } from "../e2e/first-load";
import { test } from "../e2e/fixtures";
import { judge, table, tell } from "./tell";

test("the first load", async ({ server }) => {
  const fetched = await firstLoad(server.origin);
  tell(
    `### The first load\n\n${table(
      ["file", "KB, gzip"],
      fetched.map(({ kind, kilobytes }) => [kind, kilobytes]),
    )}\n`,
  );
  judge({
    name: "web_bundle",
    text: "scripts and styles of the first load",
    atMost: FIRST_LOAD_KB,
    value: kilobytesOf(fetched),
    unit: " KB",
  });
});
