import { describe, expect, test } from "vitest";
import { shortAgent } from "../src/sidebar/agent-badge";
import { neighbourRow, nextUnread, type SidebarChoices, sidebarRows } from "../src/sidebar/sidebar-rows";
import { age } from "../src/text/time-text";
import { session } from "./samples";

const projects = [
  { id: "p", name: "shop", path: "/home/me/shop" },
  { id: "q", name: "site", path: "/home/me/site" },
];
const sessions = [
  session("newest", { title: "Fix the cart", cliType: "codex" }),
  session("other", { projectId: "q", title: "Draw a logo" }),
  session("archived", { title: "Old", archived: true }),
  session("oldest", { title: "Add a button" }),
];

function listed(choices: Partial<SidebarChoices> = {}) {
  return sidebarRows(projects, sessions, {
    filter: "",
    collapsed: new Set(),
    pinned: new Set(),
    showArchived: false,
    isUnread: () => false,
    isMuted: () => false,
    held: undefined,
    ...choices,
  });
}

function shape(choices: Partial<SidebarChoices> = {}): Record<string, string[]> {
  const named = listed(choices).groups.map(({ project, rows }) => {
    return [project?.name ?? "Pinned", rows.map(({ session: { sessionId } }) => sessionId)];
  });
  return Object.fromEntries(named);
}

describe("the sidebar", () => {
  test("projects come in their order, sessions newest first, archived ones not at all", () => {
    expect(shape()).toEqual({ shop: ["newest", "oldest"], site: ["other"] });
    expect(listed().archived).toBe(1);
  });

  test("archived sessions come last when they are asked for", () => {
    expect(shape({ showArchived: true }).shop).toEqual(["newest", "oldest", "archived"]);
  });

  test("pinned sessions stand on top, and only there", () => {
    expect(shape({ pinned: new Set(["oldest", "archived"]) })).toEqual({
      Pinned: ["oldest"],
      shop: ["newest"],
      site: ["other"],
    });
  });

  test.each([
    ["cart", { shop: ["newest"] }],
    ["SHOP but", { shop: ["oldest"] }],
    ["codex", { shop: ["newest"] }],
    ["site", { site: ["other"] }],
    ["nothing of the kind", {}],
  ])("the filter %j narrows by title, project and agent", (filter, expected) => {
    expect(shape({ filter, collapsed: new Set(["p"]) })).toEqual(expected);
    expect(listed({ filter, collapsed: new Set(["p"]) }).groups.every((group) => !group.isCollapsed)).toBe(
      true,
    );
  });

  test("says why a project has no rows", () => {
    const none = (pinned: string[]) => listed({ pinned: new Set(pinned) }).groups.map((group) => group.none);
    expect(none(["other"])).toEqual(["", "All pinned", "All pinned"]);
    const empty = sidebarRows(projects, [], { ...NOTHING_CHOSEN });
    expect(empty.groups.map((group) => group.none)).toEqual(["No sessions yet", "No sessions yet"]);
  });

  test("a held order stays, and what is new comes before it", () => {
    expect(shape({ held: ["oldest"] }).shop).toEqual(["newest", "oldest"]);
    expect(shape({ held: ["oldest", "newest"] }).shop).toEqual(["oldest", "newest"]);
  });

  test("neighbours are those that can be seen", () => {
    const { groups } = listed({ collapsed: new Set(["q"]) });
    expect(neighbourRow(groups, "newest", 1)).toBe("oldest");
    expect(neighbourRow(groups, "oldest", 1)).toBeUndefined();
    expect(neighbourRow(groups, undefined, -1)).toBe("oldest");
  });

  test("the next unread one goes round, folded projects included", () => {
    const isUnread = ({ sessionId }: { sessionId: string }) => sessionId !== "oldest";
    const { groups } = listed({ collapsed: new Set(["q"]), isUnread });
    expect(nextUnread(groups, "newest")).toBe("other");
    expect(nextUnread(groups, "other")).toBe("newest");
    expect(nextUnread(listed().groups, "newest")).toBeUndefined();
  });
});

const NOTHING_CHOSEN: SidebarChoices = {
  filter: "",
  collapsed: new Set(),
  pinned: new Set(),
  showArchived: false,
  isUnread: () => false,
  isMuted: () => false,
  held: undefined,
};

test.each([
  ["claude-code", "CC"],
  ["codex", "CX"],
  ["opencode", "OPE"],
  ["my-own-agent", "MOA"],
  ["toString", "TOS"],
])("the agent %s is called %s", (cliType, short) => {
  expect(shortAgent(cliType)).toBe(short);
});

test.each([
  [59, "now"],
  [60, "1m"],
  [3_599, "59m"],
  [3_600, "1h"],
  [86_400, "1d"],
  [6 * 86_400, "6d"],
  [7 * 86_400, "1w"],
  [400 * 86_400, "57w"],
])("%d seconds are %s", (seconds, text) => {
  const now = new Date("2026-01-02T00:00:00.000Z");
  expect(age(new Date(now.getTime() - seconds * 1000).toISOString(), now)).toBe(text);
});
