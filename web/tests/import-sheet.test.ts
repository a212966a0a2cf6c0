// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { ImportSheet } from "../src/sidebar/import-sheet";

afterEach(() => void vi.unstubAllGlobals());

async function opened(answer: () => Response): Promise<string[]> {
  vi.stubGlobal("fetch", async () => answer());
  await new ImportSheet({ imported: () => {}, open: () => {} }).open("p", "shop");
  const shown = [...document.querySelectorAll<HTMLElement>(".sheet-hint, .alert")].filter(
    ({ hidden }) => !hidden,
  );
  document.body.replaceChildren();
  return shown.map(({ textContent }) => textContent).filter((text) => text !== "");
}

test("where the agents could not be asked nothing is said about what they keep", async () => {
  const failure = { code: "INTERNAL", message: "The agents could not be asked." };
  expect(await opened(() => Response.json(failure, { status: 500 }))).toEqual([failure.message]);
});

test("agents that keep nothing else are said to", async () => {
  expect(await opened(() => Response.json({ sessions: [] }))).toEqual([
    "The agents keep no other sessions of this directory.",
  ]);
});
