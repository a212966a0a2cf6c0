/** What an agent means to do is seen in one line or in full, as the reader likes it. */
import { expect, test } from "./fixtures";
import { ASKING_AGENT } from "./server";
import { logIn, openSession } from "./transcript-page";

test.use({ settings: ASKING_AGENT });

test("a plan tells where it stands, and stays closed for one who closed it", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createAgentSession("asking");
  await openSession(page, sessionId);
  // One that is all done would go with its turn.
  await server.send(sessionId, "Plan");
  const plan = page.locator(".plan");
  await expect(plan.locator(".plan-step").first()).toBeVisible();
  await plan.locator("summary").click();
  await expect(plan.locator(".plan-step").first()).toBeHidden();
  await expect(plan.locator("summary")).toContainText("1 of 4 done");
  await page.reload();
  await expect(plan).toBeVisible();
  await expect(plan.locator(".plan-step").first(), "it is remembered").toBeHidden();
});
