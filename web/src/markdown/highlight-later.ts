/**
 * Gives code its colours when there is time.
 *
 * What knows languages is large and loaded only when some code needs it. Long code is read in slices, so that no
 * single task holds up the page.
 */
import type { CodeChunks } from "./code-chunks";
import { isKnownLanguage } from "./languages";
import { type Run, sliceEnds, splitRuns } from "./runs";

/** Longer code stays plain. */
const MOST = 256 * 1024;

let colours: Promise<typeof import("./highlight")> | undefined;

export function highlightLater(code: CodeChunks, language: string): void {
  if (!isKnownLanguage(language) || code.text.length > MOST || code.text.trim() === "") return;
  colours ??= import("./highlight");
  // Without colours it is still the code.
  colours.then(({ runsOf }) => colour(code, (text) => runsOf(text, language))).catch(() => undefined);
}

async function colour(code: CodeChunks, runsOf: (text: string) => Run[]): Promise<void> {
  const runs: Run[] = [];
  let start = 0;
  for (const end of sliceEnds(code.text)) {
    await idle();
    for (const run of runsOf(code.text.slice(start, end))) runs.push(run);
    start = end;
  }
  const chunks = code.chunks();
  const pieces = splitRuns(
    runs,
    chunks.map((chunk) => chunk.start),
  );
  for (const [at, { node }] of chunks.entries()) {
    await idle();
    // A reader who has selected some of it must not lose the selection.
    if (!isSelected(node)) node.replaceChildren(...(pieces[at] ?? []).map(runNode));
  }
}

function runNode({ text, scope }: Run): Node {
  if (scope === "") return document.createTextNode(text);
  const span = document.createElement("span");
  span.className = `hl-${scope}`;
  span.textContent = text;
  return span;
}

function isSelected(node: Node): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(node, true);
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout: 500 });
    else setTimeout(resolve, 0);
  });
}
