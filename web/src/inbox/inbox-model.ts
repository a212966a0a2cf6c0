/** What the inbox shows, and what can be answered at once. Pure. */
import type { PermissionRequest, ProjectId, SessionListItem } from "../contract";
import { optionFor } from "../permissions/option-choice";
import { requestKey } from "../permissions/request-content";

/** Requests that ask for the very same thing. */
export type Twins = { key: string; requests: PermissionRequest[]; projects: number };

/** Groups of two and more that can be allowed once together. What has to be read or filled in is answered one by one. */
export function twins(
  requests: readonly PermissionRequest[],
  projectOf: (request: PermissionRequest) => ProjectId | undefined,
): Twins[] {
  const groups = new Map<string, PermissionRequest[]>();
  for (const request of requests) {
    if (request.plan !== undefined || (request.questions ?? []).length > 0) continue;
    if (!optionFor(request.options, "y")) continue;
    const key = requestKey(request);
    groups.set(key, [...(groups.get(key) ?? []), request]);
  }
  return [...groups]
    .filter(([, group]) => group.length > 1)
    .map(([key, group]) => ({ key, requests: group, projects: new Set(group.map(projectOf)).size }));
}

export function twinsLabel({ requests, projects }: Pick<Twins, "requests" | "projects">): string {
  const where = projects > 1 ? ` in ${projects} projects` : "";
  return `Allow these ${requests.length} identical requests once${where}`;
}

/** Where a request comes from: "project · agent". */
export function originWords(session: SessionListItem | undefined, project: string | undefined): string {
  return [project, session?.cliType].filter((part) => part !== undefined).join(" · ");
}
