/** Earlier sessions that agents kept of a project's directory, to be taken over one by one. */
import type { ImportableSession, ProjectId, SessionId } from "../contract";
import { button, element, setText } from "../dom/dom";
import { Sheet } from "../dom/sheet";
import { skeleton } from "../dom/skeleton";
import { ApiError } from "../server/api";
import { importableSessions, importSession } from "../server/list-api";
import { ago } from "../text/time-text";
import { visibleName } from "../text/visible-text";
import { agentBadge } from "./agent-badge";

export type ImportActions = { imported(): void; open(sessionId: SessionId): void };

const ABOUT = "They are read, not changed: each can go on here or in the agent's own program.";
const NONE = "The agents keep no other sessions of this directory.";

export class ImportSheet {
  private readonly sheet = new Sheet("Close");
  private readonly about = element("p", "sheet-hint");
  private readonly loading = skeleton("Looking for sessions");
  private readonly list = element("ol", "importable");
  private projectId: ProjectId | undefined;

  constructor(private readonly actions: ImportActions) {
    this.sheet.root.classList.add("wide");
    this.list.setAttribute("aria-label", "Sessions to import");
    this.sheet.body.append(this.about, this.loading, this.list);
  }

  async open(projectId: ProjectId, name: string): Promise<void> {
    this.projectId = projectId;
    this.list.replaceChildren();
    this.loading.hidden = false;
    setText(this.about, "Asking the agents…");
    this.sheet.open(`Import sessions of ${name}`);
    try {
      const found = await importableSessions(projectId);
      if (this.projectId !== projectId) return;
      this.show(found.length > 0 ? ABOUT : NONE);
      this.list.replaceChildren(...found.map((session) => this.rowOf(projectId, session)));
    } catch (error) {
      if (this.projectId !== projectId) return;
      // What went wrong is said already: nobody knows what there is.
      this.show("");
      this.failed(error);
    }
  }

  private show(about: string): void {
    this.loading.hidden = true;
    setText(this.about, about);
  }

  private rowOf(projectId: ProjectId, session: ImportableSession): HTMLElement {
    const badge = agentBadge();
    badge.update(session.cliType);
    const title = element("span", "importable-title", visibleName(session.title) || "Untitled");
    title.title = visibleName(session.title);
    const facts = element("span", "importable-facts", badge.root, factsOf(session));
    const take = button("Import", "quiet importable-take", () => void this.take(projectId, session, take));
    return element("li", "importable-row", element("div", "importable-name", title, facts), take);
  }

  private async take(
    projectId: ProjectId,
    session: ImportableSession,
    take: HTMLButtonElement,
  ): Promise<void> {
    const { cliType, providerSessionId } = session;
    take.disabled = true;
    setText(take, "Importing");
    this.sheet.say("");
    try {
      const sessionId = await importSession({ cliType, providerSessionId, projectId });
      this.actions.imported();
      take.replaceWith(this.openButton(sessionId));
    } catch (error) {
      this.failed(error);
      setText(take, "Import");
      take.disabled = false;
    }
  }

  private openButton(sessionId: SessionId): HTMLButtonElement {
    const open = button("Open", "quiet importable-open", () => {
      this.sheet.close();
      this.actions.open(sessionId);
    });
    queueMicrotask(() => open.focus());
    return open;
  }

  private failed(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    this.sheet.say(error.message);
  }
}

function factsOf({ prompts, lastActiveAt }: ImportableSession): string {
  const count = prompts === 0 ? [] : [prompts === 1 ? "1 prompt" : `${prompts} prompts`];
  return [...count, ago(lastActiveAt, new Date())].join(" · ");
}
