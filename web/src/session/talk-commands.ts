/** What can be done in a conversation, by name and key. */
import type { Command } from "../commands/commands";
import type { Talk } from "./talk";

export function talkCommands(talk: Talk): Command[] {
  return [
    {
      id: "composer.send",
      title: "Send what is written",
      group: "Messages",
      keys: ["Mod+Enter"],
      isAvailable: () => talk.isOpen,
      run: () => talk.composer.submit(),
    },
    {
      id: "composer.sendNow",
      title: "Send now: steers or interrupts what runs",
      group: "Messages",
      keys: ["Mod+Shift+Enter"],
      isAvailable: () => talk.isOpen,
      run: () => (talk.isRunning ? talk.composer.sayNow() : talk.composer.submit()),
    },
    {
      id: "queue.focus",
      title: "Go to the messages that wait",
      group: "Messages that wait",
      keys: ["Alt+Q"],
      isAvailable: () => talk.hasQueue,
      run: () => talk.focusQueue(),
    },
    {
      id: "queue.up",
      title: "Move a waiting message up",
      group: "Messages that wait",
      keys: ["Alt+Shift+ArrowUp"],
      isAvailable: () => talk.hasQueuedInHand,
      run: () => talk.moveQueued(-1),
    },
    {
      id: "queue.down",
      title: "Move a waiting message down",
      group: "Messages that wait",
      keys: ["Alt+Shift+ArrowDown"],
      isAvailable: () => talk.hasQueuedInHand,
      run: () => talk.moveQueued(1),
    },
    {
      id: "turn.stop",
      title: "Stop this turn",
      group: "This session",
      keys: ["Alt+S"],
      isAvailable: () => talk.isRunning,
      run: () => talk.stop(),
    },
    {
      id: "turn.stopTwice",
      title: "Stop this turn: press it twice",
      group: "This session",
      keys: ["Escape"],
      isAvailable: () => talk.isRunning,
      run: () => talk.stopTwice(),
    },
    {
      id: "agent.end",
      title: "End the agent",
      group: "This session",
      keys: ["Alt+X"],
      isAvailable: () => talk.canEnd,
      run: () => talk.askToEnd(),
    },
    {
      id: "agent.allowed",
      title: "Show what the agent may do without asking",
      group: "This session",
      keys: ["Alt+Shift+Y"],
      isAvailable: () => talk.hasAllowed,
      run: () => talk.showAllowed(),
    },
    {
      id: "agent.resume",
      title: "Resume: start the agent again",
      group: "This session",
      keys: ["Alt+R"],
      isAvailable: () => talk.canResume,
      run: () => talk.resume(),
    },
    {
      id: "agent.mode",
      title: "Choose the agent's mode",
      group: "This session",
      keys: ["Alt+G"],
      isAvailable: () => talk.hasModes,
      run: () => talk.chooseMode(),
    },
    {
      id: "agent.model",
      title: "Choose the agent's model",
      group: "This session",
      keys: ["Alt+Shift+G"],
      isAvailable: () => talk.hasModels,
      run: () => talk.chooseModel(),
    },
  ];
}
