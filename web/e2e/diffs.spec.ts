/** What changes in files is seen line by line and word by word. */
import type { Page } from "@playwright/test";
import type { FileDiff } from "../src/contract";
import { BEGIN, did, END } from "./calls";
import { decorate } from "./decorated-items";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { logIn, openSession } from "./transcript-page";

const DIFF: FileDiff = {
  path: "/p/src/retry.rs",
  hunks: [
    {
      oldStart: 1,
      oldLines: 2,
      newStart: 1,
      newLines: 2,
      lines: [" fn run() {", "-    let limit = 3;", "+    let limit = 4;"],
    },
    { oldStart: 40, oldLines: 1, newStart: 40, newLines: 2, lines: [" }", "+// end"] },
  ],
};
const LONG: FileDiff = {
  path: "long.txt",
  hunks: [
    {
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 280,
      lines: Array.from({ length: 280 }, (_, at) => `+line ${at}`),
    },
  ],
};

async function edited(page: Page, server: Server, ...diff: FileDiff[]): Promise<void> {
  await decorate(page, { items: { edit: { kind: "edit", diff } } });
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Changes");
  await openSession(page, sessionId);
  await server.postEvents(sessionId, "t1", BEGIN, ...did("edit", "Edit", { file_path: "x" }, "done"), END);
  await expect(page.locator(".diff").first()).toBeVisible();
}

test("lines have numbers and signs, and the words that changed are marked", async ({ page, server }) => {
  await edited(page, server, DIFF);
  const lines = page.locator(".diff-line");
  await expect(lines.locator(".diff-text")).toHaveText([
    "fn run() {",
    "    let limit = 3;",
    "    let limit = 4;",
    "37 lines not changed",
    "}",
    "// end",
  ]);
  await expect(page.locator('.diff-line[data-kind="removed"] .diff-word')).toHaveText("3");
  await expect(page.locator('.diff-line[data-kind="added"] .diff-word')).toHaveText("4");
  await expect(page.getByRole("img", { name: "added", exact: true })).toHaveCount(2);
  await expect(page.getByRole("img", { name: "removed", exact: true })).toHaveCount(1);
  await expect(page.getByRole("img", { name: "2 lines added" })).toHaveText("+2");
  await expect(page.locator(".diff-path")).toHaveText("/p/src/retry.rs");
  const isWide = await page.locator(".transcript").evaluate((box) => box.scrollWidth > box.clientWidth);
  expect(isWide, "nothing is wider than the page").toBe(false);
});

test("a long change is folded and says how much is left", async ({ page, server }) => {
  await edited(page, server, LONG);
  await expect(page.locator(".diff-line")).toHaveCount(40);
  await page.getByRole("button", { name: "Show 240 more lines" }).click();
  await expect(page.locator(".diff-line")).toHaveCount(280);
});

test("changes stand side by side where there is room, if the reader likes that", async ({
  page,
  server,
  isMobile,
}) => {
  await edited(page, server, DIFF);
  const split = page.getByRole("button", { name: "Side by side" });
  if (isMobile) return await expect(split).toBeHidden();
  await split.click();
  await expect(page.locator(".diff-pair")).toHaveCount(4);
  await expect(page.locator(".diff-pair").nth(1).locator(".diff-text")).toHaveText([
    "    let limit = 3;",
    "    let limit = 4;",
  ]);
  await page.reload();
  await expect(page.locator(".diff-pair"), "it is remembered").toHaveCount(4);
  await page.setViewportSize({ width: 1_000, height: 800 });
  await expect(page.locator(".diff-pair")).toHaveCount(0);
  await expect(split).toBeHidden();
});

test.describe("the clipboard", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });

  test("copies a patch", async ({ page, server }) => {
    await edited(page, server, DIFF);
    await page.getByRole("button", { name: "Copy patch" }).click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(
        "--- a/p/src/retry.rs\n+++ b/p/src/retry.rs\n@@ -1,2 +1,2 @@\n fn run() {\n-    let limit = 3;\n+    let limit = 4;\n@@ -40,1 +40,2 @@\n }\n+// end\n",
      );
  });
});
