/** One project in the sidebar, with its sessions; or the pinned ones of all. */
import type { ProjectId } from "../contract";
import { arrange, element, setText } from "../dom/dom";
import { iconButton, lineIcon, nameButton } from "../dom/line-icon";
import { standing } from "./activity-label";
import type { Group, Row } from "./sidebar-rows";

export type GroupActions = {
  fold(projectId: ProjectId): void;
  start(projectId: ProjectId): void;
  menuOfProject(projectId: ProjectId, anchor: Element): void;
};

let groups = 0;

export class ProjectGroup {
  readonly root = element("section", "project");
  private readonly name = element("span", "project-name");
  private readonly count = element("span", "project-count");
  private readonly fold = element("button", "project-fold");
  private readonly add: HTMLButtonElement;
  private readonly more: HTMLButtonElement;
  private readonly rows = element("ol", "sessions");
  private readonly none = element("p", "project-none");

  constructor(projectId: ProjectId | undefined, actions: GroupActions) {
    const id = projectId ?? "";
    groups += 1;
    this.rows.id = `sessions-${groups}`;
    this.fold.type = "button";
    this.fold.append(lineIcon("chevron"), this.name, this.count);
    this.fold.setAttribute("aria-controls", this.rows.id);
    this.fold.addEventListener("click", () => actions.fold(id));
    this.add = iconButton("add", "row-action", () => actions.start(id));
    this.more = iconButton("more", "row-action row-more", () => actions.menuOfProject(id, this.more));
    const head = element("div", "project-head");
    const title = element("h2", "project-title", projectId === undefined ? this.name : this.fold);
    head.append(title);
    if (projectId !== undefined) head.append(element("div", "row-actions", this.add, this.more));
    if (projectId !== undefined) this.root.dataset.projectId = projectId;
    else this.root.dataset.kind = "pinned";
    this.root.append(head, this.none, this.rows);
  }

  render(group: Group, elements: Element[]): void {
    const { project, isCollapsed } = group;
    const name = project?.name ?? "Pinned";
    setText(this.name, name);
    this.root.setAttribute("aria-label", name);
    this.fold.title = project?.path ?? "";
    this.fold.setAttribute("aria-expanded", String(!isCollapsed));
    nameButton(this.add, `New session in ${name}`);
    nameButton(this.more, `Actions for project ${name}`);
    setText(this.count, isCollapsed ? summary(group.rows) : "");
    this.root.dataset.asks = String(isCollapsed && group.rows.some(asks));
    this.none.hidden = isCollapsed || group.rows.length > 0;
    setText(this.none, group.none);
    this.rows.hidden = isCollapsed || elements.length === 0;
    this.rows.style.setProperty("--rows", String(group.rows.length));
    arrange(this.rows, isCollapsed ? [] : elements);
  }
}

/** What a folded project still tells: whoever waits in it, or has news, or how many there are. */
function summary(rows: Row[]): string {
  const kinds = rows.map((row) => standing(row.session, row.isUnread).kind);
  const many = (kind: string) => kinds.filter((one) => one === kind).length;
  if (many("permission") > 0)
    return many("permission") === 1 ? "needs your answer" : `${many("permission")} need answers`;
  if (many("unread") > 0) return `${many("unread")} unread`;
  if (many("running") > 0) return `${many("running")} working`;
  return String(rows.length);
}

function asks({ session }: Row): boolean {
  return session.activity === "permission";
}
