/** What can be done by keys wherever one is, as far as it concerns all sessions. */
import type { Commands } from "../commands/commands";

export type OverviewCommandActions = {
  openInbox(): void;
  openWall(): void;
  focusOldest(): void;
  hasWaiting(): boolean;
};

export function overviewCommands(commands: Commands, actions: OverviewCommandActions): void {
  commands.add(
    {
      id: "permission.oldest",
      title: "Go to what waits longest for your answer",
      group: "Permissions",
      keys: ["Alt+Y"],
      isAvailable: () => actions.hasWaiting(),
      run: () => actions.focusOldest(),
    },
    {
      id: "inbox.open",
      title: "Open the inbox: everything that waits for you",
      group: "Permissions",
      keys: ["Alt+B"],
      run: () => actions.openInbox(),
    },
    {
      id: "wall.open",
      title: "Open the wall: all live sessions",
      group: "View",
      keys: ["Alt+V"],
      run: () => actions.openWall(),
    },
  );
}
