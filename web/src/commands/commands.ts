/** Everything that can be done, by name: the palette lists it, keys run it, buttons may. */
import { isTyping, type KeyPress, matches } from "./chord";
import { IS_MAC } from "./is-mac";

export type Command = {
  /** Stable, as "session.rename". */
  id: string;
  /** What happens, in plain words: "Rename this session". */
  title: string;
  group:
    | "Sessions"
    | "Projects"
    | "This session"
    | "Messages"
    | "Messages that wait"
    | "Permissions"
    | "Reading"
    | "Tabs"
    | "View"
    | "Settings"
    | "Help";
  /** Chords that run it; the first one is shown. */
  keys?: readonly string[];
  /** Absent: always. What is not available is neither listed nor run. */
  isAvailable?: () => boolean;
  /** When its keys mean it; absent: whenever it is available. Plain letters are for the thing that has the focus. */
  keysWhen?: () => boolean;
  /** Whether its keys also work while a dialog is open. The others would change what lies out of reach below. */
  overDialogs?: boolean;
  /** Whether it goes on while its keys are held: going from one to the next does, what changes something is done once. */
  repeats?: boolean;
  run(): void;
};

export class Commands {
  private readonly known = new Map<string, Command>();

  add(...commands: Command[]): void {
    for (const command of commands) {
      if (this.known.has(command.id)) throw new Error(`there are two commands ${command.id}`);
      this.known.set(command.id, command);
    }
  }

  all(): Command[] {
    return [...this.known.values()];
  }

  available(): Command[] {
    return this.all().filter((command) => command.isAvailable?.() ?? true);
  }

  /** What a key press means; what writes a character means nothing else while text is being written. */
  forKey(press: KeyPress, isWriting: boolean, inDialog = false, isMac = IS_MAC): Command | undefined {
    const means = (chord: string) => matches(chord, press) && !(isWriting && isTyping(chord, press, isMac));
    return this.all().find(
      (command) =>
        (command.overDialogs || !inDialog) &&
        command.keys?.some(means) &&
        (command.isAvailable?.() ?? true) &&
        (command.keysWhen?.() ?? true),
    );
  }

  run(id: string): void {
    this.available()
      .find((command) => command.id === id)
      ?.run();
  }
}
