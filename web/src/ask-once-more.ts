/** Asks before something that is not wanted by accident. The question is fetched with the dialogs. */
import { dialogs } from "./dialogs-later";
import type { Question } from "./dom/confirm-sheet";

const sheet = dialogs.make(({ ConfirmSheet }) => new ConfirmSheet());

export function askOnceMore(question: Question): void {
  sheet.use((confirm) => confirm.ask(question));
}
