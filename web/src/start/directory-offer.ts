/** Which directories are offered while one is being written, and what is said of one that cannot be used. Pure. */
import type { Project, SessionListItem } from "../contract";
import type { Choice } from "../dom/option-list";

/** Recent ones that are offered at once. */
const RECENT = 6;

/** Projects in the order in which something happened in them last. */
export function recentProjects(projects: Project[], sessions: SessionListItem[]): Project[] {
  const last = new Map<string, string>();
  for (const { projectId, lastActiveAt } of sessions)
    if (lastActiveAt > (last.get(projectId) ?? "")) last.set(projectId, lastActiveAt);
  const since = (project: Project) => last.get(project.id) ?? project.addedAt;
  return [...projects].sort((a, b) => since(b).localeCompare(since(a)));
}

/** Recent projects that fit to what was written, then what lies on the disk. */
export function offeredDirectories(written: string, recent: Project[], found: string[]): Choice[] {
  const wanted = written.trim().toLowerCase();
  const fits = recent.filter(
    ({ path, name }) => path.toLowerCase().startsWith(wanted) || name.toLowerCase().includes(wanted),
  );
  const near = fits.slice(0, RECENT);
  const known = new Set(near.map(({ path }) => path));
  const others = found.filter((path) => !known.has(path));
  const heading = near.length > 0 ? "Directories" : undefined;
  return [
    ...near.map(({ path, name }) => ({ value: path, name, detail: path, heading: "Recent projects" })),
    ...others.map((path) => ({ value: path, name: path, ...(heading !== undefined && { heading }) })),
  ];
}

/** What is to be said of what was written; `roots` are the places below which projects may be. */
export function directoryNote(written: string, roots: string[], found: string[]): string {
  const path = written.trim();
  if (path === "") return "";
  if (!path.startsWith("/")) return "Write the whole path, beginning with /.";
  if (found.length > 0 || roots.length === 0) return "";
  const isOnTheWay = roots.some((root) => root.startsWith(path));
  if (isOnTheWay) return "";
  if (!roots.some((root) => isBelow(path, root)))
    return `This directory is not allowed. Projects may be in ${listed(roots)}.`;
  return path.endsWith("/") ? "" : "There is no directory that begins like this.";
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function listed(roots: string[]): string {
  const shown = roots.slice(0, 3).join(", ");
  return roots.length > 3 ? `${shown} and ${roots.length - 3} more` : shown;
}
