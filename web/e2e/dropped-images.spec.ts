/** Images that are dragged onto the composer, with what the browser itself tells of a drag. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CDPSession, Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { logIn, openSession } from "./transcript-page";

const looking = fileURLToPath(new URL("looking-agent.mjs", import.meta.url));
test.use({
  settings: `[agents.looking]\nprotocol = "acp"\ncommand = ["${process.execPath}", "${looking}"]\n`,
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

test("an image that is dropped is added, something else is refused, and the page stays", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("looking"));
  const field = page.getByLabel("Message", { exact: true });
  await expect(field).toBeVisible();
  const image = join(server.agentHome, "dropped.png");
  const text = join(server.agentHome, "notes.txt");
  await writeFile(image, Buffer.from(PIXEL, "base64"));
  await writeFile(text, "notes");
  const box = page.locator(".composer-box:visible");

  const drag = await Drag.over(page, field, [image]);
  await expect(box).toHaveAttribute("data-dropping", "true");
  await drag.drop();
  await expect(box).toHaveAttribute("data-dropping", "false");
  await expect(page.getByRole("img", { name: "dropped.png" })).toHaveJSProperty("naturalWidth", 1);

  await (await Drag.over(page, field, [text])).drop();
  await expect(page.locator(".attachment-note")).toContainText("notes.txt is no PNG");
  await expect(page.locator(".attachment")).toHaveCount(1);

  await field.fill("what is this");
  await field.press("Enter");
  await expect(page.locator('[data-origin="agent"]')).toContainText("1 images (image/png): what is this");
});

test("a file that is dropped beside the composer is taken or refused, and the page stays", {
  tag: "@desktop",
}, async ({ page, server }) => {
  await logIn(page, server.loginUrl);
  await openSession(page, await server.createAgentSession("looking"));
  const field = page.getByLabel("Message", { exact: true });
  await field.fill("half a thought");
  const image = join(server.agentHome, "dropped.png");
  await writeFile(image, Buffer.from(PIXEL, "base64"));
  const box = page.locator(".composer-box:visible");

  const aside = await Drag.over(page, page.locator("nav.sidebar"), [image]);
  await expect(box).not.toHaveAttribute("data-dropping", "true");
  await aside.drop();
  const above = await Drag.over(page, page.locator(".transcripts"), [image]);
  await expect(box).toHaveAttribute("data-dropping", "true");
  await above.drop();
  await expect(page.getByRole("img", { name: "dropped.png" })).toHaveCount(1);
  await expect(field).toHaveValue("half a thought");
});

/** A drag from outside of the browser. */
class Drag {
  private constructor(
    private readonly browser: CDPSession,
    private readonly place: { x: number; y: number },
    private readonly data: { items: []; files: string[]; dragOperationsMask: number },
  ) {}

  static async over(page: Page, target: Locator, files: string[]): Promise<Drag> {
    const box = await target.boundingBox();
    if (!box) throw new Error("there is nothing to drop it on");
    const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const browser = await page.context().newCDPSession(page);
    const drag = new Drag(browser, place, { items: [], files, dragOperationsMask: 1 });
    await drag.tell("dragEnter");
    await drag.tell("dragOver");
    return drag;
  }

  async drop(): Promise<void> {
    await this.tell("drop");
  }

  private async tell(type: "dragEnter" | "dragOver" | "drop"): Promise<void> {
    await this.browser.send("Input.dispatchDragEvent", { type, ...this.place, data: this.data });
  }
}
