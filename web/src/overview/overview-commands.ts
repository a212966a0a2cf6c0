/** What can be done by keys wherever one is, as far as it concerns all sessions. */
import type { Command, Commands } from "../commands/commands";

export type OverviewCommandActions = {
  openInbox(): void;
  openWall(): void;
  focusOldest(): void;
  hasWaiting(): boolean;
  isInbox(): boolean;
  stepInInbox(by: 1 | -1): void;
};

export function overviewCommands(commands: Commands, actions: OverviewCommandActions): void {
  const step = (id: string, title: string, key: string, by: 1 | -1): Command => ({
    id,
    title,
    group: "Permissions",
    keys: [key],
    repeats: true,
    isAvailable: () => actions.isInbox() && actions.hasWaiting(),
    run: () => actions.stepInInbox(by),
  });
  commands.add(
    step("inbox.next", "Next permission of the inbox", "j", 1),
    step("inbox.previous", "Previous permission of the inbox", "k", -1),
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
