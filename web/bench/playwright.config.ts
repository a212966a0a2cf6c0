/** The measurements of the page: one after the other, in one browser window of the usual size. */
import { defineConfig } from "@playwright/test";
import usual from "../playwright.config";

export default defineConfig({
  ...usual,
  testDir: ".",
  testMatch: "*.bench.ts",
  timeout: 600_000,
  // Two at a time would measure each other.
  workers: 1,
  reporter: "./tell-reporter.ts",
  use: { ...usual.use, trace: "off" },
  projects: usual.projects?.filter(({ name }) => name === "desktop") ?? [],
});
