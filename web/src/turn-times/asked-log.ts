/** Remembers when questions were asked and answered: what a turn waited for is not in its items. */
import type { PermissionId, PermissionRequest, ServerFrame } from "../contract";

const MOST = 500;

export class AskedLog {
  private readonly known = new Map<PermissionId, PermissionRequest>();

  told(frame: ServerFrame): void {
    if (frame.type !== "permission:requested" && frame.type !== "permission:resolved") return;
    this.known.delete(frame.permissionId);
    this.known.set(frame.permissionId, frame);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST && oldest !== undefined) this.known.delete(oldest);
  }

  /** Those of a session, together with what was decided before this page was there. */
  of(sessionId: string, decided: readonly PermissionRequest[] = []): PermissionRequest[] {
    const heard = [...this.known.values()].filter((request) => request.sessionId === sessionId);
    const all = [...heard, ...decided].map((request) => [request.permissionId, request] as const);
    return [...new Map(all).values()];
  }
}
