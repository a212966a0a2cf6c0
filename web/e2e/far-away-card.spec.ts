/** What a reader opened is still open when it comes back from so far away that its element was let go. */
import type { Page } from "@playwright/test";
import { BEGIN, did, END, itemOf, said, thought } from "./calls";
import { expect, test } from "./fixtures";
import { longSession } from "./long-session";
import { itemById, logIn, openSession } from "./transcript-page";

test("an opened card and an opened thought come back open, and a closed one closed", async ({
  page,
  server,
}) => {
  const sessionId = await longSession(server, 1_200);
  const edit = { file_path: "a.txt", old_string: "old", new_string: "new" };
  await server.postEvents(
    sessionId,
    "last",
    BEGIN,
    ...did("run", "Bash", { command: "make" }, "built\n"),
    ...thought("thinks", "First this.\n\nThen that."),
    // Opens by itself, to show what it changes.
    ...did("edit", "Edit", edit, "done"),
    ...said("end", "The end."),
    END,
  );
  await logIn(page, server.loginUrl);
  await openSession(page, sessionId);
  const run = itemById(page, itemOf("run"));
  const thinks = itemById(page, "thinks");
  const changes = itemById(page, itemOf("edit"));
  const first = (row: typeof run) => row.locator("details").first();
  await expect(first(changes)).toHaveAttribute("open", "");
  for (const row of [run, thinks, changes]) await row.locator("summary").first().click();
  await expect(run.getByLabel("Output", { exact: true })).toHaveText("built\n");
  await expect(first(changes)).not.toHaveAttribute("open", "");
  const element = await run.elementHandle();

  await transcript(page).press("Alt+Home");
  await expect(itemById(page, "i0")).toBeInViewport();
  await expect(run, "it was let go").toHaveCount(0);
  await transcript(page).press("Alt+End");
  await expect(itemById(page, "end")).toBeInViewport();

  expect(await run.evaluate((now, before) => now !== before, element), "it is a new element").toBe(true);
  await expect(first(run)).toHaveAttribute("open", "");
  await expect(run.getByLabel("Output", { exact: true })).toHaveText("built\n");
  await expect(first(thinks)).toHaveAttribute("open", "");
  await expect(thinks).toContainText("Then that.");
  await expect(first(changes)).not.toHaveAttribute("open", "");
});

function transcript(page: Page) {
  return page.getByLabel("Transcript", { exact: true });
}
