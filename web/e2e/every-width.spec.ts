/** The page at the narrowest and the widest that it is made for: everything fits, and text stays readable. */
import type { Page } from "@playwright/test";
import { askingSession, runs } from "./asking-page";
import { BEGIN, did, END, said, thought } from "./calls";
import { expectFits, longestLine } from "./fits";
import { expect, test } from "./fixtures";
import { ASKING_AGENT, type Server } from "./server";
import { expectLive, itemById, logIn, showList } from "./transcript-page";

test.use({ settings: ASKING_AGENT, contextOptions: { reducedMotion: "reduce" } });

const LONG_WORD = "a_name_without_any_place_to_break_it".repeat(6);
const PROSE =
  "Words that are read from the left to the right, line by line, without losing the place. ".repeat(9);
const ANSWER = `${PROSE}

\`${LONG_WORD}\` and https://example.com/${LONG_WORD}

| run | before | after | what was done about it in between |
|---|---:|---:|---|
| ${LONG_WORD} | 3 failures | 0 | nothing |

\`\`\`rust
let answer = page.wait_for_response("/api/login").await?; // ${LONG_WORD}
\`\`\`

1. A list
   - in a list ${LONG_WORD}
`;

/** Something of everything, with names that are too long for any line. */
async function full(server: Server): Promise<string> {
  const title = `A title that is far too long for a narrow screen and ${LONG_WORD}`;
  const sessionId = await server.createSession(title);
  const edit = { file_path: `src/${LONG_WORD}.rs`, old_string: "old", new_string: `new ${LONG_WORD}` };
  await server.postEvents(
    sessionId,
    "t1",
    BEGIN,
    ...said("u", `Do it with ${LONG_WORD}`, "user"),
    ...thought("k", PROSE),
    ...did("run", "Bash", { command: `make ${LONG_WORD}` }, `${LONG_WORD}\nfailed`, true),
    ...did("edit", "Edit", edit, "done"),
    ...said("m", ANSWER),
    END,
  );
  await askingSession(server, runs(`make ${LONG_WORD}`));
  return sessionId;
}

const SCREENS: Record<string, (page: Page, server: Server, sessionId: string) => Promise<void>> = {
  "new session": async (page) => expect(page.getByRole("form", { name: "New session" })).toBeVisible(),
  list: async (page) => showList(page),
  session: async (page, server, sessionId) => {
    await page.goto(`${server.origin}/#/s/${sessionId}`);
    await expect(itemById(page, "m")).toBeVisible();
    await page.locator("summary:visible").evaluateAll((all) => {
      for (const one of all) (one.parentElement as HTMLDetailsElement).open = true;
    });
  },
  permission: async (page, server) => {
    const [asked] = await server.call<{ sessionId: string }[]>("GET", "/api/permissions");
    await page.goto(`${server.origin}/#/s/${asked?.sessionId}`);
    await expect(page.locator(".permission:visible")).toBeVisible();
  },
  inbox: async (page, server) => {
    await page.goto(`${server.origin}/#/inbox`);
    await expect(page.locator(".inbox .permission")).toBeVisible();
  },
  wall: async (page, server) => {
    await page.goto(`${server.origin}/#/wall`);
    await expect(page.locator(".tile")).toHaveCount(2);
  },
  settings: async (page, server, sessionId) => {
    await page.goto(`${server.origin}/#/s/${sessionId}`);
    await page.keyboard.press("Control+,");
    await expect(page.getByRole("dialog", { name: "Settings" })).toBeVisible();
  },
  palette: async (page, server, sessionId) => {
    await page.goto(`${server.origin}/#/s/${sessionId}`);
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("option").first()).toBeVisible();
  },
  search: async (page, server, sessionId) => {
    await page.goto(`${server.origin}/#/s/${sessionId}`);
    await page.keyboard.press("Control+Shift+f");
    await page.keyboard.type("words");
    await expect(page.getByRole("option").first()).toBeVisible();
  },
};

for (const [width, height] of [
  [320, 640],
  [2560, 1440],
] as const)
  test.describe(`at ${width} px`, () => {
    test.use({ viewport: { width, height } });

    for (const [name, arrive] of Object.entries(SCREENS))
      test(`the ${name} fits`, { tag: "@desktop" }, async ({ page, server }) => {
        const sessionId = await full(server);
        await logIn(page, server.loginUrl);
        await page.goto(`${server.origin}/#/new`);
        await expectLive(page);
        await arrive(page, server, sessionId);
        await expectFits(page);
      });

    test("lines of text have a length that is read with ease", { tag: "@desktop" }, async ({
      page,
      server,
    }) => {
      const sessionId = await full(server);
      await logIn(page, server.loginUrl);
      await page.goto(`${server.origin}/#/s/${sessionId}`);
      const letters = await longestLine(itemById(page, "m").locator(".text p").first());
      expect(letters).toBeGreaterThan(30);
      expect(letters).toBeLessThan(125);
    });
  });
