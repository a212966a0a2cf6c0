import { expect, test } from "vitest";
import { modeChoices, modelChoices } from "../src/agent/choices";

test("the mode and the model in use are marked", () => {
  const modes = [
    { modeId: "ask", name: "Ask", neverAsks: false },
    { modeId: "yolo", name: "YOLO", neverAsks: true },
  ];
  expect(modeChoices(modes, "yolo")).toEqual([
    { value: "ask", name: "Ask", isRisky: false, isCurrent: false },
    { value: "yolo", name: "YOLO", detail: "Never asks", isRisky: true, isCurrent: true },
  ]);
  expect(modelChoices([{ modelId: "m", name: "M" }], "other")[0]?.isCurrent).toBe(false);
});
