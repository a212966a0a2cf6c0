/** Says each question of the open session once, however often it is drawn. */
import type { PermissionId, PermissionRequest } from "../contract";
import type { Announcer } from "./announcer";
import { questionsToAsk } from "./what-to-say";

export class QuestionsAloud {
  private readonly asked = new Set<PermissionId>();

  constructor(private readonly announcer: Pick<Announcer, "interrupt">) {}

  ask(requests: readonly PermissionRequest[]): void {
    for (const text of questionsToAsk(requests, this.asked)) this.announcer.interrupt(text);
    for (const { permissionId } of requests) this.asked.add(permissionId);
  }
}
