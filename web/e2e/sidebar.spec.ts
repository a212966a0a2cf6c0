/** The list of sessions follows what happens elsewhere, without a reload. */
import type { Project } from "../src/contract";
import { expect, test } from "./fixtures";
import { listedSession, logIn, openSession } from "./transcript-page";

test("titles, archived sessions and projects that come and go are followed", async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("First name");
  const other = await server.createSession("Another");
  await openSession(page, sessionId);
  const entry = listedSession(page, sessionId);
  await server.call("POST", `/api/session/${sessionId}/title`, { title: "Second name" });
  await expect(entry).toContainText("Second name");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Second name");
  await server.call("POST", `/api/session/${other}/archive`);
  await expect(listedSession(page, other)).toHaveAttribute("data-archived", "true");

  const [project] = await server.call<Project[]>("GET", "/api/projects");
  if (!project) throw new Error("there is no project");
  await server.call("DELETE", `/api/projects/${project.id}`);
  await expect(page.locator("[data-session-id]")).toHaveCount(0);
  await expect(page.getByText("The project of this session was removed.")).toBeVisible();
  await server.call("POST", "/api/projects", { path: server.projectDirectory });
  await expect(page.locator("[data-session-id]")).toHaveCount(2);
  await expect(page.getByText("The project of this session was removed.")).toBeHidden();
});
