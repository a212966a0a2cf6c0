/** Takes the pictures of the README anew, and one of every state to be looked at: `npx playwright test --config screenshots/playwright.config.ts` in `web/`. */
import { defineConfig } from "@playwright/test";
import usual from "../playwright.config";

export default defineConfig({
  ...usual,
  testDir: ".",
  testMatch: "*.shots.ts",
  use: { ...usual.use, trace: "off" },
  projects: usual.projects?.filter(({ name }) => name !== "dark-and-still") ?? [],
});
