import { expect, test } from "vitest";
import { modeChoices, modelChoices, neverAsks } from "../src/agent/never-asks";

/** As agents tell them. */
test.each([
  ["read-only", "Read Only", "Approval is required to edit files.", false],
  ["auto", "Default", "Codex can read and edit files, and run commands.", false],
  ["full-access", "Full Access", "Codex can edit files outside this workspace", true],
  ["default", "Ask", "Asks before it changes or runs something", false],
  ["acceptEdits", "Accept edits", "Changes files without asking", false],
  ["auto-edit", "Auto-edit", "Changes files in this directory without asking", false],
  ["plan", "Plan", "Reads and plans, changes nothing", false],
  ["dontAsk", "Don't Ask", "Don't prompt for permissions", true],
  ["bypassPermissions", "Bypass permissions", "Never asks", true],
  ["yolo", "YOLO", "Auto-approves all tools", true],
  ["auto", "Auto", "Automatically approve tool calls", true],
  ["d", "Free", "Edits files and runs commands without asking for approval", true],
])("whether a mode never asks is read from what it says: %s", (modeId, name, description, isRisky) => {
  expect(neverAsks({ modeId, name, description })).toBe(isRisky);
});

test("the mode and the model in use are marked", () => {
  const modes = [
    { modeId: "ask", name: "Ask" },
    { modeId: "yolo", name: "YOLO" },
  ];
  expect(modeChoices(modes, "yolo")).toEqual([
    { value: "ask", name: "Ask", isRisky: false, isCurrent: false },
    { value: "yolo", name: "YOLO", detail: "Never asks", isRisky: true, isCurrent: true },
  ]);
  expect(modelChoices([{ modelId: "m", name: "M" }], "other")[0]?.isCurrent).toBe(false);
});
