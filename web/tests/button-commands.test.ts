// @vitest-environment happy-dom
/** Each command that presses a button finds the one that its title means, in what the views really make. */
import { expect, test } from "vitest";
import { BackgroundTasks } from "../src/agent/background-tasks";
import { App } from "../src/app";
import { PRESSES } from "../src/commands/button-commands";
import { AttachmentTray } from "../src/compose/attachment-tray";
import { KeptTexts } from "../src/compose/kept-text";
import type { PermissionRequest, SessionListItem } from "../src/contract";
import { diffView } from "../src/items/diff-view";
import { OutputView } from "../src/items/output-view";
import { FenceView } from "../src/markdown/fence-view";
import { MessageText } from "../src/markdown/message-text";
import { PastView } from "../src/permissions/past-view";
import { PermissionCard } from "../src/permissions/permission-card";
import { QueueRow } from "../src/queue/queue-row";
import { FindBar } from "../src/search/find-bar";
import { Edge } from "../src/transcript/edge";
import { WallTile } from "../src/wall/wall-tile";

const nothing = () => {};
const press = (id: string) => PRESSES.find((one) => one.id === id)?.press ?? "";
/** What stands on the button that is found. */
const found = (root: ParentNode, id: string) => {
  const button = root.querySelector<HTMLElement>(press(id));
  return button?.getAttribute("aria-label") ?? button?.textContent ?? undefined;
};

test("those of the page", () => {
  const { root } = new App("ws://localhost/ws", { loggedOut: nothing });
  expect(found(root, "session.start")).toBe("Start");
  expect(found(root, "agents.look")).toBe("Look again");
  expect(found(root, "plan.fold")).toContain("Plan");
  expect(found(root, "queue.resume")).toBe("Resume queue");
  expect(found(root, "image.add")).toBe("Add image");
  expect(found(root, "page.reload")).toBe("Reload");
  expect(found(root, "problem.dismiss")).toBe("Dismiss");
  expect(root.querySelector(press("tabs.switch"))).not.toBeNull();
});

test("those of a session that is open", () => {
  const bar = document.createElement("div");
  bar.append(new FindBar(() => undefined).root);
  expect(found(bar, "find.next")).toBe("Next find");
  expect(found(bar, "find.previous")).toBe("Previous find");
  const content = document.createElement("div");
  content.className = "transcript-content";
  const ends = ["Show earlier", "Show later"].map((words) => new Edge(content, words, async () => {}).root);
  content.append(...ends);
  const frame = document.createElement("div");
  frame.append(content);
  expect(found(frame, "transcript.older")).toBe("Show earlier");
  expect(found(frame, "transcript.newer")).toBe("Show later");
});

test("those of a message that waits, of an image and of a task", () => {
  const row = new QueueRow("one", {
    change: nothing,
    remove: nothing,
    sendNow: nothing,
    sendWithoutImages: nothing,
    editing: nothing,
  });
  expect(
    ["queue.now", "queue.without", "queue.edit", "queue.remove"].map((id) => found(row.root, id)),
  ).toEqual(["Send now", "Go without them", "Edit", "Remove"]);
  const tray = new AttachmentTray(
    new KeptTexts("", localStorage),
    { keep: nothing, find: nothing, follow: nothing },
    nothing,
  );
  tray.show("s", true);
  tray.add([new File(["x"], "a.png", { type: "image/png" })]);
  expect(found(tray.root, "image.remove")).toBe("Remove a.png");
  const tasks = new BackgroundTasks(nothing);
  tasks.render([{ taskId: "t", kind: "shell", description: "serve" }], true);
  expect(found(tasks.root, "task.stop")).toBe("Stop task: serve");
});

const request: PermissionRequest = {
  permissionId: "p",
  sessionId: "s",
  title: "Run a command",
  askedAt: "2026-01-01T00:00:00Z",
  options: [
    { optionId: "y", name: "Once", kind: "allow_once" },
    { optionId: "a", name: "Always", kind: "allow_always" },
    { optionId: "n", name: "No", kind: "reject_once" },
    { optionId: "never", name: "Never", kind: "reject_always" },
  ],
} as unknown as PermissionRequest;

test("those of a permission and of a tile on the wall", () => {
  const { root } = new PermissionCard(request, nothing);
  const ids = ["allow", "always", "reject", "answer-1", "answer-4", "because", "stop"].map(
    (id) => `permission.${id}`,
  );
  expect(ids.map((id) => found(root, id))).toEqual([
    "Oncey",
    "Alwaysa",
    "Non",
    "Oncey",
    "Never4",
    "Reject with a reason",
    "Deny and stop",
  ]);
  expect(found(new PastView(request, nothing).root, "permission.dismiss")).toBe("Dismiss");
  const session = { sessionId: "s", title: "One" } as unknown as SessionListItem;
  const tile = new WallTile(session, { answered: nothing, stop: nothing, resume: nothing }).root;
  expect(["wall.stop", "wall.resume"].map((id) => found(tile, id))).toEqual(["Stop", "Resume"]);
});

test("those of what is read", () => {
  expect(found(new FenceView("sh").root, "read.copy-code")).toBe("Copy code");
  const output = new OutputView("first lines");
  output.update(Array.from({ length: 500 }, (_, at) => `line ${at}`).join("\n"), false);
  expect(found(output.root, "read.copy-output")).toBe("Copy output");
  expect(found(output.root, "read.all")).toMatch(/^Show all 500 lines/);
  const diff = diffView();
  const lines = Array.from({ length: 90 }, (_, at) => `+${at}`);
  diff.update([{ path: "a", hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 90, lines }] }]);
  expect(found(diff.root, "read.copy-patch")).toBe("Copy patch");
  expect(found(diff.root, "read.all")).toBe("Show 50 more lines");
  const text = new MessageText();
  text.update("word\n".repeat(200_000), true);
  expect(found(text.root, "read.markdown")).toBe("Show as Markdown");
});
