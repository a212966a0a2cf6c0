import { expect, test } from "vitest";
import { FollowingReasons } from "../src/permissions/following-reasons";
import { permission } from "./samples";

const rejected = permission("p", { outcome: "selected", optionId: "no" });

test("a reason follows its refusal once that holds, and once only", () => {
  const reasons = new FollowingReasons();
  reasons.wait("p", "no", "use pnpm");
  expect(reasons.decided([permission("p"), permission("other", { outcome: "selected" })])).toEqual([]);
  expect(reasons.decided([rejected])).toEqual([{ request: rejected, reason: "use pnpm", isMeant: true }]);
  expect(reasons.decided([rejected])).toEqual([]);
});

test("a reason for what was decided otherwise is not said", () => {
  const reasons = new FollowingReasons();
  reasons.wait("p", "no", "use pnpm");
  const allowed = permission("p", { outcome: "selected", optionId: "yes" });
  expect(reasons.decided([allowed])).toMatchObject([{ isMeant: false }]);
});

test("a refusal that did not arrive takes its reason with it", () => {
  const reasons = new FollowingReasons();
  reasons.wait("p", "no", "use pnpm");
  reasons.forget("p");
  expect(reasons.decided([rejected])).toEqual([]);
});
