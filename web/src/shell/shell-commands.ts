/** What can be done to the list and the tabs, as commands. */
import type { Command } from "../commands/commands";
import type { ProjectId, SessionListItem } from "../contract";
import { isInSight } from "../dom/in-sight";
import type { Shell } from "./shell";

export function shellCommands(shell: Shell): Command[] {
  return [
    ...listCommands(shell),
    ...projectCommands(shell),
    ...sessionCommands(shell),
    ...tabCommands(shell),
    ...jumps(shell),
  ];
}

function listCommands(shell: Shell): Command[] {
  const { sidebar, tabs } = shell;
  return [
    {
      id: "session.previous",
      title: "Previous session in the list",
      group: "Sessions",
      keys: ["Alt+ArrowUp"],
      repeats: true,
      run: () => tabs.activate(sidebar.neighbour(-1)),
    },
    {
      id: "session.next",
      title: "Next session in the list",
      group: "Sessions",
      keys: ["Alt+ArrowDown"],
      repeats: true,
      run: () => tabs.activate(sidebar.neighbour(1)),
    },
    {
      id: "session.next-unread",
      title: "Next unread session",
      group: "Sessions",
      keys: ["Alt+U"],
      repeats: true,
      isAvailable: () => sidebar.nextUnread() !== undefined,
      run: () => tabs.activate(sidebar.nextUnread()),
    },
    {
      id: "sessions.filter",
      title: "Filter the sessions",
      group: "Sessions",
      keys: ["/", "Alt+Shift+F"],
      run: () => {
        shell.revealSidebar();
        sidebar.list.focusFilter();
      },
    },
    {
      id: "sessions.show-archived",
      title: "Show or hide archived sessions",
      group: "Sessions",
      keys: ["Alt+Shift+A"],
      run: () => sidebar.showArchived(!sidebar.choices.showArchived),
    },
    {
      id: "view.sidebar",
      title: "Show or hide the sidebar",
      group: "View",
      keys: ["Mod+B"],
      run: () => shell.toggleSidebar(),
    },
    width(shell, "wider", "Make the sidebar wider", "Alt+=", ({ splitter }) => splitter.step(1)),
    width(shell, "narrower", "Make the sidebar narrower", "Alt+-", ({ splitter }) => splitter.step(-1)),
    width(shell, "usual", "Make the sidebar as wide as usual", "Alt+0", ({ splitter }) => splitter.reset()),
  ];
}

/** Only where there is a line to be moved. */
function width(shell: Shell, id: string, title: string, key: string, run: (shell: Shell) => void): Command {
  return {
    id: `sidebar.${id}`,
    title,
    group: "View",
    keys: [key],
    repeats: true,
    isAvailable: () => isInSight(shell.splitter.root),
    run: () => run(shell),
  };
}

function projectCommands({ sidebar }: Shell): Command[] {
  const one = (id: string, title: string, key: string, run: (project: ProjectId) => void): Command => ({
    id: `project.${id}`,
    title,
    group: "Projects",
    keys: [key],
    isAvailable: () => sidebar.targetProject !== undefined,
    run: () => {
      const { targetProject } = sidebar;
      if (targetProject !== undefined) run(targetProject);
    },
  });
  return [
    {
      id: "project.add",
      title: "Add a project",
      group: "Projects",
      keys: ["Alt+Shift+N"],
      run: () => sidebar.addProject(),
    },
    one("start", "Start a session in this project", "Alt+C", (project) => sidebar.startIn(project)),
    one("import", "Import sessions of this project", "Alt+Shift+I", (project) => sidebar.importInto(project)),
    one("fold", "Fold or unfold this project", "Alt+Shift+O", (project) => sidebar.toggleFold(project)),
    one("remove", "Remove this project", "Alt+Shift+X", (project) => sidebar.askToRemove(project)),
  ];
}

function sessionCommands(shell: Shell): Command[] {
  const { sidebar } = shell;
  const withTarget = (run: (session: SessionListItem) => void) => ({
    isAvailable: () => sidebar.target !== undefined,
    run: () => {
      const { target } = sidebar;
      if (target) run(target);
    },
  });
  return [
    {
      id: "session.rename",
      title: "Rename this session",
      group: "This session",
      keys: ["F2"],
      ...withTarget((session) => {
        shell.revealSidebar();
        sidebar.rename(session);
      }),
    },
    {
      id: "session.pin",
      title: "Pin or unpin this session",
      group: "This session",
      keys: ["Alt+P"],
      ...withTarget(({ sessionId }) => sidebar.togglePin(sessionId)),
    },
    {
      id: "session.mute",
      title: "Mute or unmute this session",
      group: "This session",
      keys: ["Alt+H"],
      ...withTarget(({ sessionId }) => sidebar.toggleMute(sessionId)),
    },
    {
      id: "session.archive",
      title: "Archive or unarchive this session",
      group: "This session",
      keys: ["Alt+A"],
      ...withTarget(({ sessionId }) => sidebar.toggleArchived(sessionId)),
    },
  ];
}

function tabCommands({ tabs }: Shell): Command[] {
  const whenMany = { isAvailable: () => tabs.count > 1 };
  const whenActive = { isAvailable: () => tabs.activeTab !== undefined };
  return [
    {
      id: "tab.close",
      title: "Close this tab",
      group: "Tabs",
      keys: ["Alt+W"],
      ...whenActive,
      run: () => tabs.close(tabs.activeTab),
    },
    {
      id: "tab.reopen",
      title: "Reopen the closed tab",
      group: "Tabs",
      keys: ["Alt+Shift+T"],
      isAvailable: () => tabs.canReopen,
      run: () => tabs.reopen(),
    },
    {
      id: "tab.previous",
      title: "Previous tab",
      group: "Tabs",
      keys: ["Alt+["],
      repeats: true,
      isAvailable: () => tabs.count > 0,
      run: () => tabs.beside(-1),
    },
    {
      id: "tab.next",
      title: "Next tab",
      group: "Tabs",
      keys: ["Alt+]"],
      repeats: true,
      isAvailable: () => tabs.count > 0,
      run: () => tabs.beside(1),
    },
    {
      id: "tab.move-left",
      title: "Move this tab to the left",
      group: "Tabs",
      keys: ["Alt+Shift+ArrowLeft"],
      repeats: true,
      ...whenMany,
      run: () => tabs.moveBy(-1),
    },
    {
      id: "tab.move-right",
      title: "Move this tab to the right",
      group: "Tabs",
      keys: ["Alt+Shift+ArrowRight"],
      repeats: true,
      ...whenMany,
      run: () => tabs.moveBy(1),
    },
  ];
}

/** Alt+9 means the last tab. */
function jumps({ tabs }: Shell): Command[] {
  return Array.from({ length: 9 }, (_, at): Command => {
    const number = at + 1;
    return {
      id: `tab.jump-${number}`,
      title: number === 9 ? "Go to the last tab" : `Go to tab ${number}`,
      group: "Tabs",
      keys: [`Alt+${number}`],
      isAvailable: () => (number === 9 ? tabs.count > 0 : tabs.count >= number),
      run: () => tabs.jump(number),
    };
  });
}
