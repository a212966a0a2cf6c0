/** What Claude Code asks besides permissions: questions, and plans to approve. Through the whole server, to its own lines. */
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { cards, give, letSettle } from "./asking-page";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { expectLive, logIn, openSession } from "./transcript-page";

const STUB = fileURLToPath(new URL("claude-stub.mjs", import.meta.url));

test.use({
  settings: `
[agents.claude-code]
command = ["${process.execPath}", "${STUB}"]
[agents.codex]
command = ["no-such-codex"]
`,
});

async function asked(page: Page, server: Server, call: object): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("claude-code");
  await server.send(sessionId, JSON.stringify(call));
  await openSession(page, sessionId);
  await expect(cards(page)).toBeVisible();
  await letSettle(page);
  return sessionId;
}

const lastWords = (page: Page) => page.locator('[data-type="message"][data-origin="agent"]').last();

test("questions are answered by choosing and in one's own words, and the answers can be read again", async ({
  page,
  server,
}) => {
  const questions = [
    {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
    },
    { question: "Which fruits?", multiSelect: true, options: [{ label: "Apple" }, { label: "Pear" }] },
  ];
  await asked(page, server, { tool_name: "AskUserQuestion", input: { questions } });
  const answer = page.getByRole("button", { name: "Answer", exact: true });
  await expect(answer).toBeDisabled();
  await cards(page).focus();
  await page.keyboard.press("y");
  await expect(cards(page)).toContainText("Answer the questions first.");
  await page.getByRole("radio", { name: "Red" }).check();
  await page.getByRole("checkbox", { name: "Apple" }).check();
  // Letters in a field are letters, not answers.
  await page.getByLabel("Something else: Which fruits?").pressSequentially("any");
  await give(answer);
  await expect(lastWords(page)).toContainText(
    'Heard allow: {"Which colour?":"Red","Which fruits?":"Apple, any"}',
  );
  await expect(page.locator(".permission-past")).toContainText("Which fruits? Apple, any");
  await page.reload();
  await expectLive(page);
  await expect(page.locator(".decision-line")).toContainText("Which colour? Red");
});

test("a plan is shown as it reads, and kept back with words that the agent gets with the refusal", async ({
  page,
  server,
}) => {
  const plan = "## Steps\n\n1. Read **all** of it\n2. Rewrite\u202e it";
  await asked(page, server, { tool_name: "ExitPlanMode", input: { plan } });
  const shown = cards(page).getByLabel("Plan", { exact: true });
  await expect(shown.getByRole("heading", { name: "Steps" })).toBeVisible();
  await expect(shown.locator("li")).toHaveText(["Read all of it", "Rewrite\\u202e it"]);
  await expect(page.getByRole("button", { name: "Approve the plan", exact: true })).toBeEnabled();
  await give(page.getByRole("button", { name: "Reject with a reason" }));
  await page.getByLabel("What the agent should do instead").fill("test first");
  await page.keyboard.press("Enter");
  await expect(lastWords(page)).toContainText("Heard deny: test first");
  await expect(page.locator(".permission-past")).toContainText("“test first”");
  await page.reload();
  await expectLive(page);
  await expect(page.locator(".decision-line")).toContainText("“test first”");
});
