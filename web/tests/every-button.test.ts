// @vitest-environment happy-dom
/**
 * Every button that the sources make has a command: each file that makes some names them here, in the order in which they are made.
 * A button that is added anywhere fails this until it is named, and a name that is no command fails it too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { App } from "../src/app";

const SOURCES = join(import.meta.dirname, "../src");

/** Only these have none, and why. */
const NO_COMMAND = {
  dialog: "of a dialog, which has the focus: Enter and Esc mean its buttons, and Tab goes through them",
  field: "beside a field that has the focus: Enter and Esc mean it",
  choice:
    "one of several values or texts: the focus goes through them, and they are written or chosen elsewhere too",
  gone: "there is no page: only the browser's own keys work",
  drag: "to be dragged; queue.up and queue.down do the same",
  maker: "makes buttons for those who name them",
} as const;
type Named = string | { none: keyof typeof NO_COMMAND };
const none = (why: keyof typeof NO_COMMAND): Named => ({ none: why });

const BUTTONS: Record<string, Named[]> = {
  "agent/agent-banner": ["agent.resume"],
  "agent/agents-foot": ["agents.reconnect"],
  "agent/background-tasks": ["task.stop"],
  "compose/attachment-tray": ["image.add", "image.remove"],
  "compose/composer": ["composer.send", "turn.stop", "composer.sendNow"],
  "dom/confirm-sheet": [none("dialog")],
  "dom/copyable": [none("maker"), none("maker")],
  "dom/dialog": [none("dialog")],
  "dom/failed-note": ["list.again"],
  "dom/failure-panel": [none("gone")],
  "dom/picker": [none("maker")],
  "dom/sheet": [none("dialog")],
  "inbox/inbox-view": ["inbox.allow-all"],
  "items/diff-layout": ["diff.split"],
  "items/diff-view": ["read.all", "read.copy-patch"],
  "items/group-view": ["read.open"],
  "items/item-view": ["read.all", "read.open"],
  "items/message-body": ["read.copy", "transcript.copy-link"],
  "items/nested-rows": ["read.earlier"],
  "items/output-view": ["read.all", "read.copy-output"],
  "items/thinking-body": ["read.open", "read.copy"],
  "items/tool-details": ["read.arguments", "transcript.copy-link", "read.copy-input"],
  "items/tool-line": ["read.open"],
  "login/login-panel": [none("gone")],
  "markdown/fence-view": ["read.copy-code"],
  "markdown/message-text": ["read.markdown"],
  "markdown/wrap": ["code.wrap"],
  "palette/tool-row": ["palette.open", "settings.open", "shortcuts.open"],
  "permissions/past-view": ["permission.dismiss"],
  "permissions/permission-card": ["permission.because", "permission.stop", "permission.allow"],
  "permissions/reason-form": [none("field"), none("field")],
  "permissions/request-view": ["permission.arguments"],
  "queue/queue-panel": ["queue.resume"],
  "queue/queue-row": [
    none("drag"),
    "queue.edit",
    "queue.now",
    "queue.without",
    "queue.remove",
    none("field"),
    none("field"),
  ],
  "search/find-bar": ["find.previous", "find.next", none("field"), none("maker")],
  "session/agent-panel": ["agent.end", "agent.allowed"],
  "session/agent-settings": ["agent.mode", "agent.model"],
  "session/plan-panel": ["plan.fold"],
  "session/version-banner": ["page.reload"],
  "shell/page-notes": ["problem.dismiss"],
  "shell/shell": ["view.sidebar", "view.sidebar"],
  "sidebar/action-menu": [none("choice")],
  "sidebar/add-project-sheet": [none("dialog")],
  "sidebar/import-sheet": ["import.take", "import.open"],
  "sidebar/project-group": ["project.fold", "project.start", none("choice")],
  "sidebar/session-list": ["project.add", "sessions.show-archived", "view.sidebar", "project.add"],
  "sidebar/session-row": ["session.pin", "session.archive", none("choice")],
  "stall/stall-note": ["turn.stop", "agent.end"],
  "start/agent-cards": ["agents.look", "agents.install"],
  "start/empty-state": ["start.copy"],
  "start/new-session-form": ["session.start", "session.mode", "session.model", none("choice")],
  "start/suggestions": [none("choice")],
  "tabs/tab-switcher": ["tabs.switch"],
  "tabs/tab-view": ["tab.jump-1", "tab.close"],
  "transcript/edge": ["transcript.older"],
  "transcript/jump-pill": ["transcript.latest"],
  "transcript/row-views": ["turn.times"],
  "turn-times/times-row": [none("dialog")],
  "wall/wall-tile": ["wall.stop", "wall.resume"],
};

/** Where a button is made, by any of the ways to make one; not where such a way is itself defined. */
const MADE =
  /(?<!function )\b(?:button|copyButton|iconButton|stepButton|copyable|new Picker)\(|element\("(?:button|summary)"/g;

function madeIn(): Map<string, number> {
  const files = readdirSync(SOURCES, { recursive: true }).map(String);
  const counts = files
    .filter((name) => name.endsWith(".ts"))
    .map((name): [string, number] => {
      const text = readFileSync(join(SOURCES, name), "utf8");
      return [name.replace(/\.ts$/, ""), [...text.matchAll(MADE)].length];
    });
  return new Map(counts.filter(([name, count]) => count > 0 && name !== "dom/dom"));
}

test("every button that is made is named here", () => {
  const named = Object.entries(BUTTONS).map(([name, buttons]) => [name, buttons.length]);
  expect(Object.fromEntries(madeIn())).toEqual(Object.fromEntries(named));
});

test("every one that is named has a command", async () => {
  const { commands } = new App("ws://localhost/ws", { loggedOut: () => {} });
  await vi.waitUntil(() => commands.all().some(({ id }) => id === "queue.edit"), { timeout: 20_000 });
  const known = new Set(commands.all().map(({ id }) => id));
  const wanted = Object.values(BUTTONS)
    .flat()
    .filter((one) => typeof one === "string");
  expect(wanted.filter((id) => !known.has(id))).toEqual([]);
});
