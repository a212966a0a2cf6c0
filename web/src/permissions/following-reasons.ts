/**
 * Reasons of refusals for agents that do not take them with the answer: they follow as a message, once the refusal holds.
 *
 * Pure: keeps what waits, and says what to do when a request is over.
 */
import type { OptionId, PermissionId, PermissionRequest } from "../contract";

type Waiting = { optionId: OptionId | undefined; reason: string };
/** `isMeant` when the refusal that it belongs to is what was decided. */
export type Following = { request: PermissionRequest; reason: string; isMeant: boolean };

export class FollowingReasons {
  private readonly waiting = new Map<PermissionId, Waiting>();

  wait(permissionId: PermissionId, optionId: OptionId | undefined, reason: string): void {
    this.waiting.set(permissionId, { optionId, reason });
  }

  /** The refusal did not arrive: it still stands in its card. */
  forget(permissionId: PermissionId): void {
    this.waiting.delete(permissionId);
  }

  /** Each reason is told once, however often a decision is. */
  decided(requests: readonly PermissionRequest[]): Following[] {
    if (this.waiting.size === 0) return [];
    return requests.flatMap((request) => {
      const known = this.waiting.get(request.permissionId);
      if (!known || request.outcome === undefined) return [];
      this.waiting.delete(request.permissionId);
      const isMeant = request.outcome === "selected" && request.optionId === known.optionId;
      return [{ request, reason: known.reason, isMeant }];
    });
  }
}
