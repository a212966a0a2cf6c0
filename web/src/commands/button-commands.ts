/** The buttons of the page that have a name and a key: those of one thing alone, of things alike, and of what is read. */
import type { Command } from "./commands";
import { type Press, pressCommand, readCommand, type Thing, thingCommand } from "./press";

export function buttonCommands(): Command[] {
  return [
    ...PAGE.map(pressCommand),
    ...of({ thing: ".waiting-message" }, WAITING),
    ...of({ thing: ".attachment" }, IMAGE),
    ...of({ thing: ".permission" }, PERMISSION),
    ...of({ thing: ".permission-past" }, ANSWERED),
    ...of({ thing: ".inbox .permission-slot" }, INBOX_CARD),
    ...of({ thing: ".inbox-twins", within: ".inbox" }, TWINS),
    ...of({ thing: ".tile" }, TILE),
    ...of({ thing: ".agent-command", within: "html" }, INSTALL),
    ...of({ thing: ".steps .copyable", within: "html" }, STEP),
    ...of({ thing: ".importable-row", within: "dialog:has(.importable)" }, IMPORTABLE),
    // Several may run, far from where one writes: its key works from everywhere.
    ...of({ thing: ".task", within: "html" }, TASK),
    ...READ.map(readCommand),
  ];
}

function of(thing: Thing, presses: Press[]): Command[] {
  return presses.map((press) => thingCommand(thing, press));
}

function list(group: Command["group"], ...rows: [id: string, title: string, keys: string, press: string][]) {
  return rows.map(([id, title, keys, press]): Press => ({ id, title, group, keys: keys.split(" "), press }));
}

/** One may be held to go through many. */
function repeated(press: Press): Press {
  return { ...press, repeats: true };
}

const PAGE = [
  ...list(
    "Sessions",
    ["session.start", "Start the session that is set up", "Alt+Enter", ".new-session .primary"],
    ["list.again", "Load the sessions again", "Alt+Shift+S", ".failed-note .button"],
    ["session.mode", "Choose the mode of the new session", "Alt+Shift+M", '.new-session [aria-label="Mode"]'],
    [
      "session.model",
      "Choose the model of the new session",
      "Alt+Shift+V",
      '.new-session [aria-label="Model"]',
    ],
    ["agents.look", "Look again for agents", "Alt+Shift+L", ".agents-head .button"],
  ),
  ...list(
    "This session",
    ["plan.fold", "Fold or unfold the plan", "Alt+Shift+P", ".plan > summary"],
    [
      "transcript.older",
      "Load what is earlier",
      "Alt+PageUp",
      ".transcript-content > .edge:first-child .button",
    ],
    [
      "transcript.newer",
      "Load what is later",
      "Alt+PageDown",
      ".transcript-content > .edge:last-child .button",
    ],
  ),
  ...list(
    "This session",
    ["find.next", "Go to the next find", "F3", '.find-bar [aria-label="Next find"]'],
    ["find.previous", "Go to the previous find", "Shift+F3", '.find-bar [aria-label="Previous find"]'],
  ).map(repeated),
  ...list(
    "Messages",
    ["queue.resume", "Resume the paused queue", "Alt+Shift+Q", ".queue .dock-head .button"],
    ["image.add", "Add an image", "Alt+Shift+U", ".composer .attach"],
  ),
  ...list("Tabs", ["tabs.switch", "Choose among the open tabs", "Alt+Shift+W", ".tab-count"]),
  ...list(
    "View",
    ["page.reload", "Reload for the new version", "Alt+Shift+R", ".version-banner .button"],
    ["problem.dismiss", "Dismiss the problem", "Alt+Shift+D", ".problem .button"],
  ),
];

const WAITING = list(
  "Messages that wait",
  ["queue.edit", "Edit a waiting message", "e", ".waiting-shown .button:nth-last-child(2)"],
  ["queue.remove", "Remove a waiting message", "x Delete", ".waiting-shown .button:last-child"],
  ["queue.now", "Send a waiting message now", "s", ".waiting-shown .button:first-child"],
  [
    "queue.without",
    "Let a waiting message go without its images",
    "w",
    ".waiting-shown .button:nth-child(2)",
  ],
);

const IMAGE = list("Messages", ["image.remove", "Remove an image", "x Delete", ".attachment-remove"]);

const PERMISSION = list(
  "Permissions",
  ["permission.allow", "Allow it once", "y", '[aria-keyshortcuts~="y"]'],
  ["permission.always", "Allow it always", "a", '[aria-keyshortcuts~="a"]'],
  ["permission.reject", "Reject it", "n", '[aria-keyshortcuts~="n"]'],
  // An agent may offer several answers of one kind: each can be chosen by its place.
  ...Array.from({ length: 9 }, (_, at): [string, string, string, string] => [
    `permission.answer-${at + 1}`,
    `Give answer ${at + 1} of those offered`,
    String(at + 1),
    `[aria-keyshortcuts~="${at + 1}"]`,
  ]),
  ["permission.arguments", "Show or hide all arguments of what is asked", "i", ".permission-raw > summary"],
  ["permission.because", "Reject it with a reason", "r", ".permission-more > :first-child"],
  ["permission.stop", "Deny it and stop the turn", "Shift+N", ".permission-more > :last-child"],
);

const ANSWERED = list("Permissions", [
  "permission.dismiss",
  "Dismiss the answered permission",
  "d",
  ".button",
]);

const INBOX_CARD = list("Permissions", ["inbox.session", "Open its session", "o", ".inbox-session"]);

const TWINS = list("Permissions", [
  "inbox.allow-all",
  "Allow all of these in the inbox",
  "Shift+Y",
  ".button",
]);

const TILE = list(
  "View",
  ["wall.stop", "Stop this turn on the wall", "s", ".tile-stop"],
  ["wall.resume", "Resume this session on the wall", "r", ".tile-resume"],
);

const INSTALL = list("Sessions", [
  "agents.install",
  "Copy the command that installs an agent",
  "Alt+Shift+K",
  ".button",
]);

const STEP = list("Sessions", ["start.copy", "Copy the command of a first step", "Alt+Shift+J", ".button"]);

/** They stand in a dialog. */
const IMPORTABLE = list(
  "Projects",
  ["import.take", "Take over this session of an agent", "i", ".importable-take"],
  ["import.open", "Open this session that was taken over", "o", ".importable-open"],
).map((press): Press => ({ ...press, overDialogs: true }));

const TASK = list("This session", ["task.stop", "Stop a background task", "Alt+Shift+B", ".button"]);

const READ = list(
  "Reading",
  ["read.copy", "Copy this message as written, or this thought", "c", '[aria-label="Copy as written"]'],
  ["read.copy-code", "Copy this code", "Shift+C", '[aria-label="Copy code"]'],
  ["read.copy-output", "Copy this output", "Shift+O", '[aria-label="Copy output"]'],
  ["read.copy-patch", "Copy this patch", "Shift+P", '[aria-label="Copy patch"]'],
  [
    "read.copy-input",
    "Copy this command or prompt",
    "Shift+I",
    '[aria-label="Copy command"], [aria-label="Copy prompt"], [aria-label="Copy content"]',
  ],
  ["read.copy-arguments", "Copy these arguments", "Shift+A", '[aria-label="Copy arguments"]'],
  ["read.open", "Open or close this tool call or thought", "o", "summary"],
  ["read.arguments", "Show or hide these arguments", "i", '[aria-label="Show arguments"]'],
  ["read.all", "Show all of this output, change or item", "e", ".output-all, .diff-more, .item-whole"],
  ["read.earlier", "Show earlier steps of this sub-agent", "b", ".nested-earlier"],
  ["read.markdown", "Show this as Markdown", "m", ".show-markdown"],
);

/** All of them, for those who look whether each still finds its button. */
export const PRESSES: readonly Press[] = [
  ...[PAGE, WAITING, IMAGE, PERMISSION, ANSWERED, INBOX_CARD, TWINS, TILE, IMPORTABLE, TASK, READ].flat(),
];
