/** The tab that was looked at last: who opens the page without naming anything goes on there. */
import type { SessionId } from "../contract";
import { KeptValue } from "../dom/kept-value";
import { activeIn } from "./tabs";

/** To be asked before the address is followed, which names another one or none. */
export function lastTab(): SessionId | undefined {
  return new KeptValue("liminal:tabs", activeIn).value;
}
