/** What can be done to the list and the tabs, as commands. */
import type { Command } from "../commands/commands";
import type { SessionListItem } from "../contract";
import type { Shell } from "./shell";

export function shellCommands(shell: Shell): Command[] {
  return [...listCommands(shell), ...sessionCommands(shell), ...tabCommands(shell), ...jumps(shell)];
}

function listCommands(shell: Shell): Command[] {
  const { sidebar, tabs } = shell;
  return [
    {
      id: "session.previous",
      title: "Previous session in the list",
      group: "Sessions",
      keys: ["Alt+ArrowUp"],
      run: () => tabs.activate(sidebar.neighbour(-1)),
    },
    {
      id: "session.next",
      title: "Next session in the list",
      group: "Sessions",
      keys: ["Alt+ArrowDown"],
      run: () => tabs.activate(sidebar.neighbour(1)),
    },
    {
      id: "session.next-unread",
      title: "Next unread session",
      group: "Sessions",
      keys: ["Alt+U"],
      isAvailable: () => sidebar.nextUnread() !== undefined,
      run: () => tabs.activate(sidebar.nextUnread()),
    },
    { id: "project.add", title: "Add a project", group: "Sessions", run: () => sidebar.addProject() },
    {
      id: "sessions.filter",
      title: "Filter the sessions",
      group: "Sessions",
      run: () => {
        shell.revealSidebar();
        sidebar.list.focusFilter();
      },
    },
    {
      id: "sessions.show-archived",
      title: "Show or hide archived sessions",
      group: "Sessions",
      run: () => sidebar.showArchived(!sidebar.choices.showArchived),
    },
    {
      id: "view.sidebar",
      title: "Show or hide the sidebar",
      group: "View",
      keys: ["Mod+B"],
      run: () => shell.toggleSidebar(),
    },
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
      group: "View",
      keys: ["Alt+W"],
      ...whenActive,
      run: () => tabs.close(tabs.activeTab),
    },
    {
      id: "tab.reopen",
      title: "Reopen the closed tab",
      group: "View",
      keys: ["Alt+Shift+T"],
      isAvailable: () => tabs.canReopen,
      run: () => tabs.reopen(),
    },
    {
      id: "tab.previous",
      title: "Previous tab",
      group: "View",
      keys: ["Alt+["],
      isAvailable: () => tabs.count > 0,
      run: () => tabs.beside(-1),
    },
    {
      id: "tab.next",
      title: "Next tab",
      group: "View",
      keys: ["Alt+]"],
      isAvailable: () => tabs.count > 0,
      run: () => tabs.beside(1),
    },
    {
      id: "tab.move-left",
      title: "Move this tab to the left",
      group: "View",
      keys: ["Alt+Shift+ArrowLeft"],
      ...whenMany,
      run: () => tabs.moveBy(-1),
    },
    {
      id: "tab.move-right",
      title: "Move this tab to the right",
      group: "View",
      keys: ["Alt+Shift+ArrowRight"],
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
      group: "View",
      keys: [`Alt+${number}`],
      isAvailable: () => (number === 9 ? tabs.count > 0 : tabs.count >= number),
      run: () => tabs.jump(number),
    };
  });
}
