/** What the agent does beside the conversation: each piece of it can be stopped by itself. */
import type { BackgroundTask, TaskId } from "../contract";
import { arrange, button, element, setText } from "../dom/dom";
import { visibleLine } from "../text/visible-text";

type Row = { root: HTMLElement; text: HTMLElement; stop: HTMLButtonElement };

export class BackgroundTasks {
  readonly root = element("section", "tasks");
  private readonly heading = element("h2", "dock-heading");
  private readonly list = element("ul", "task-list");
  private readonly rows = new Map<TaskId, Row>();
  private readonly stopping = new Set<TaskId>();

  constructor(private readonly stop: (taskId: TaskId) => void) {
    this.root.setAttribute("aria-label", "Background tasks");
    this.root.append(this.heading, this.list);
    this.render([], false);
  }

  render(tasks: BackgroundTask[], isLive: boolean): void {
    const known = new Set(tasks.map(({ taskId }) => taskId));
    for (const taskId of this.rows.keys()) if (!known.has(taskId)) this.forget(taskId);
    setText(
      this.heading,
      tasks.length === 1 ? "1 task in the background" : `${tasks.length} tasks in the background`,
    );
    arrange(
      this.list,
      tasks.map((task) => this.draw(task, isLive)),
    );
    this.root.hidden = tasks.length === 0;
  }

  /** It could not be stopped: it can be tried again. */
  stillRuns(taskId: TaskId): void {
    this.stopping.delete(taskId);
  }

  private draw({ taskId, kind, description }: BackgroundTask, isLive: boolean): HTMLElement {
    const row = this.rows.get(taskId) ?? this.add(taskId);
    setText(row.text, visibleLine(description || kind));
    const isStopping = this.stopping.has(taskId);
    row.stop.disabled = !isLive || isStopping;
    setText(row.stop, isStopping ? "Stopping" : "Stop");
    row.stop.setAttribute("aria-label", `Stop task: ${visibleLine(description || kind)}`);
    return row.root;
  }

  private add(taskId: TaskId): Row {
    const text = element("span", "task-text");
    const stop = button("Stop", "quiet", () => {
      this.stopping.add(taskId);
      this.stop(taskId);
    });
    const root = element("li", "task", element("span", "task-mark"), text, stop);
    root.dataset.taskId = taskId;
    const row = { root, text, stop };
    this.rows.set(taskId, row);
    return row;
  }

  private forget(taskId: TaskId): void {
    this.rows.delete(taskId);
    this.stopping.delete(taskId);
  }
}
