/** The tab that was looked at last: who opens the page without naming anything goes on there. */
import type { SessionId } from "../contract";
import { KeptValue } from "../dom/kept-value";
import { sessionHash } from "../route";
import { activeIn } from "./tabs";

/** Who names nothing goes on where they were. To be done before the address is followed. */
export function nameLastTab(): void {
  const last = location.hash === "" ? lastTab() : undefined;
  if (last !== undefined) history.replaceState(null, "", sessionHash(last));
}

function lastTab(): SessionId | undefined {
  return new KeptValue("liminal:tabs", activeIn).value;
}
