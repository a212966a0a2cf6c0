import { defineConfig, devices } from "@playwright/test";

/** The browser of the machine: nothing is downloaded. */
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** These ask the server and the connection; how wide the page is does not matter to them. */
const SAME_AT_EVERY_WIDTH = [
  /(login|referrer|foreign-pages|hostile-\w+|imported-history|first-steps|first-load|notifications|screen-reader)\.spec/,
  /(lost-connection|reconnect|growing-text|real-agents|stall)\.spec/,
];

/** What is used most, as those see it who want it dark and without motion. */
const IN_THE_DARK = /(demo-acceptance|permission-card|reading|queue)\.spec/;

export default defineConfig({
  testDir: "e2e",
  // Each test has a server and a browser window of its own.
  workers: 2,
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  reporter: "list",
  // A busy machine is slow, and slowness is not what these tests judge.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  // A trace takes pictures all the time, which costs more than the page itself.
  use: { launchOptions: { executablePath, args }, trace: process.env.TRACE ? "retain-on-failure" : "off" },
  projects: [
    { name: "desktop", use: { browserName: "chromium", viewport: { width: 1280, height: 800 } } },
    {
      name: "dark-and-still",
      use: {
        browserName: "chromium",
        viewport: { width: 1280, height: 800 },
        colorScheme: "dark",
        contextOptions: { reducedMotion: "reduce" },
      },
      testMatch: IN_THE_DARK,
    },
    {
      name: "phone",
      use: { ...devices["Pixel 7"], browserName: "chromium" },
      // What is tagged so needs a keyboard or a mouse.
      grepInvert: /@desktop/,
      testIgnore: SAME_AT_EVERY_WIDTH,
    },
  ],
});
