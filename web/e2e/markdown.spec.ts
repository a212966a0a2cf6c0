/** Agents write Markdown; readers see what it means, while it is written. */
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";
import { itemsOfType, logIn, openSession, textOf } from "./transcript-page";

const TURN = "t1";
const CODE = Array.from({ length: 90 }, (_, at) => `let line_${at} = ${at};`).join("\n");
const ANSWER = `# Answer

Some **bold** words, \`code\` and [the docs](https://docs.example/a/b).

- first
- second
  1. nested
- [x] done

| Name | Count |
|------|------:|
| one  |     1 |
| two  |     2 |

\`\`\`rust
${CODE}
\`\`\`

The end.
`;

async function begin(page: Page, server: Server): Promise<string> {
  await logIn(page, server.loginUrl);
  const sessionId = await server.createSession("Markdown");
  await openSession(page, sessionId);
  await server.postEvents(
    sessionId,
    TURN,
    { type: "response_start", modelId: "model", providerId: "provider" },
    { type: "item_start", itemId: "m1", itemType: "message" },
  );
  return sessionId;
}

async function write(server: Server, sessionId: string, ...pieces: string[]): Promise<void> {
  const deltas = pieces.map((deltaContent) => ({ type: "item_delta", itemId: "m1", deltaContent }) as const);
  await server.postEvents(sessionId, TURN, ...deltas);
}

async function finish(server: Server, sessionId: string, content: string): Promise<void> {
  const finalItem = { type: "message", content, origin: "agent" } as const;
  await server.postEvents(
    sessionId,
    TURN,
    { type: "item_done", itemId: "m1", finalItem },
    { type: "response_done", status: "completed" },
  );
}

async function answered(page: Page, server: Server): Promise<Locator> {
  const sessionId = await begin(page, server);
  for (let at = 0; at < ANSWER.length; at += 400) await write(server, sessionId, ANSWER.slice(at, at + 400));
  await finish(server, sessionId, ANSWER);
  const message = itemsOfType(page, "message");
  await expect(message).toHaveAttribute("data-status", "complete");
  return message;
}

test("an answer is drawn with its heading, list, table, code and link", async ({ page, server }) => {
  const message = await answered(page, server);
  await expect(message.getByRole("heading", { level: 3 })).toHaveText("Answer");
  await expect(message.getByRole("listitem")).toHaveCount(4);
  await expect(message.getByRole("img", { name: "done" })).toBeVisible();
  await expect(message.getByRole("cell")).toHaveText(["one", "1", "two", "2"]);
  const link = message.getByRole("link");
  await expect(link).toHaveText("the docsdocs.example");
  await expect(link).toHaveAttribute("href", "https://docs.example/a/b");
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expect(message.locator(".fence-language")).toHaveText("rust");
  expect(await message.locator(".fence-code").textContent()).toBe(CODE);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("code gets its colours without changing its height", async ({ page, server }) => {
  const sessionId = await begin(page, server);
  await write(server, sessionId, `\`\`\`rust\n${CODE}\n`);
  const code = itemsOfType(page, "message").locator(".fence-code");
  await expect(code).toContainText("line_89");
  const height = () => code.evaluate((box) => box.scrollHeight);
  const plain = await height();
  await expect(code.locator("[class^=hl-]")).toHaveCount(0);
  await write(server, sessionId, "```\n\nAfter.\n");
  await expect(code.locator(".hl-keyword").first()).toHaveText("let");
  await expect(code.locator(".hl-keyword")).toHaveCount(90);
  expect(await height()).toBe(plain);
  expect(await code.textContent()).toBe(CODE);
});

test.describe("the clipboard", () => {
  test.use({ permissions: ["clipboard-read", "clipboard-write"] });
  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

  test("copies code, a message as it was written, and a part as its words", async ({ page, server }) => {
    const message = await answered(page, server);
    await message.getByRole("button", { name: "Copy code" }).click();
    await expect(message.getByRole("button", { name: "Copy code" })).toHaveText("Copied");
    expect(await clipboard(page)).toBe(CODE);

    await message.hover();
    await message.getByRole("button", { name: "Copy as written" }).click();
    await expect.poll(() => clipboard(page)).toBe(ANSWER);

    await select(textOf(message));
    await page.keyboard.press("ControlOrMeta+c");
    await expect.poll(() => clipboard(page)).toBe(ANSWER);

    await select(message.locator(".fence-code"));
    await page.keyboard.press("ControlOrMeta+c");
    await expect.poll(async () => (await clipboard(page)).trimEnd()).toBe(CODE);

    await select(message.locator(".stretch > p").first());
    await page.keyboard.press("ControlOrMeta+c");
    await expect.poll(async () => (await clipboard(page)).trim()).toBe("Some bold words, code and the docs.");
  });
});

async function select(part: Locator): Promise<void> {
  await part.evaluate((element) => getSelection()?.selectAllChildren(element));
}

test("long lines of code are wrapped when asked", async ({ page, server }) => {
  const sessionId = await begin(page, server);
  await write(server, sessionId, `\`\`\`\n${"word ".repeat(200)}\n\`\`\`\n\nAfter.\n`);
  const code = itemsOfType(page, "message").locator(".fence-code");
  const isWide = () => code.evaluate((box) => box.scrollWidth > box.clientWidth);
  await expect.poll(isWide).toBe(true);
  const wrap = page.getByRole("button", { name: "Wrap" });
  await wrap.click();
  await expect(wrap).toHaveAttribute("aria-pressed", "true");
  expect(await isWide()).toBe(false);
});

test("wrapping is one choice for all code, by a key too, and is remembered", async ({ page, server }) => {
  const sessionId = await begin(page, server);
  const block = `\`\`\`\n${"word ".repeat(200)}\n\`\`\`\n\n`;
  await write(server, sessionId, `${block}${block}The end.\n`);
  const codes = itemsOfType(page, "message").locator(".fence-code");
  await expect(codes).toHaveCount(2);
  const wide = () =>
    codes.evaluateAll((all) => all.filter((box) => box.scrollWidth > box.clientWidth).length);
  await expect.poll(wide).toBe(2);
  await page.keyboard.press("Alt+z");
  await expect.poll(wide).toBe(0);
  await page.reload();
  await expect(codes).toHaveCount(2);
  await expect.poll(wide).toBe(0);
  await page.keyboard.press("Alt+z");
  await expect.poll(wide).toBe(2);
});

test("what a reader reads and has selected stays while more is written", async ({ page, server }) => {
  const sessionId = await begin(page, server);
  const paragraph = (at: number) => `Paragraph **${at}** with some words in it.\n\n`;
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => paragraph(from + at));
  await write(server, sessionId, many(0, 80).join(""));
  const message = itemsOfType(page, "message");
  const shown = message.locator(".stretch > p");
  await expect(shown).toHaveCount(80);
  await page.getByLabel("Transcript").evaluate((box) => box.scrollTo({ top: 300 }));
  await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
  await select(shown.nth(10));
  const place = await shown.nth(10).boundingBox();

  await write(
    server,
    sessionId,
    ...many(80, 120),
    "| a | b |\n|---|---|\n",
    "| 1 | 2 |\n",
    "```rust\n",
    "fn x() {}\n```\n",
  );
  await finish(
    server,
    sessionId,
    `${many(0, 120).join("")}| a | b |\n|---|---|\n| 1 | 2 |\n\`\`\`rust\nfn x() {}\n\`\`\`\n`,
  );
  await expect(message).toHaveAttribute("data-status", "complete");
  await expect(message.locator(".hl-keyword")).toHaveText("fn");
  expect(await shown.nth(10).boundingBox()).toEqual(place);
  expect(await page.evaluate(() => getSelection()?.toString())).toBe("Paragraph 10 with some words in it.");
});

test("an update changes the end and nothing else, however long the text is", async ({ page, server }) => {
  const sessionId = await begin(page, server);
  const message = itemsOfType(page, "message");
  const counts: number[] = [];
  for (const from of [0, 200]) {
    const blocks = Array.from({ length: 200 }, (_, at) => `Paragraph ${from + at}.\n\n- item\n- item\n\n`);
    await write(server, sessionId, blocks.join(""));
    await expect(textOf(message)).toContainText(`Paragraph ${from + 199}.`);
    await message.evaluate(watchChanges);
    for (let at = 0; at < 40; at += 1) await write(server, sessionId, `some${from + at} `);
    await write(server, sessionId, `last${from}\n\n`);
    await expect(textOf(message)).toContainText(`last${from}`);
    const changes = await message.evaluate(seenChanges);
    expect(changes.early).toBe(0);
    counts.push(changes.all);
  }
  // As many changes as updates were drawn, and a few for the new paragraph: not as many as there are blocks.
  for (const count of counts) expect(count).toBeLessThan(120);
});

type Watched = Element & { changes?: { all: number; early: number } };

/** Runs in the page: counts what changes in the text, and what of it in the blocks that are there by now. */
function watchChanges(element: Element): void {
  const prose = element.querySelector(".prose");
  const early = [...(prose?.querySelectorAll(".stretch > *") ?? [])].slice(0, -1);
  const changes = { all: 0, early: 0 };
  (element as Watched).changes = changes;
  if (!prose) return;
  new MutationObserver((records) => {
    changes.all += records.length;
    changes.early += records.filter(({ target }) => early.some((block) => block.contains(target))).length;
  }).observe(prose, { subtree: true, childList: true, characterData: true, attributes: true });
}

function seenChanges(element: Element): { all: number; early: number } {
  return (element as Watched).changes ?? { all: -1, early: -1 };
}
