/** Notifications of the operating system, as far as the browser has and allows them. */
import type { Notice } from "./what-to-tell";

/** Browsers on phones have the name, but not the thing: trying tells. Without permission a trial shows nothing. */
let isMissing: boolean | undefined;

/** Asks the reader; the browser shows its question only in answer to a click. */
export async function askForNotifications(): Promise<boolean> {
  if (!isPossible()) return false;
  if (Notification.permission !== "default") return mayNotify();
  return (await Notification.requestPermission()) === "granted";
}

export function mayNotify(): boolean {
  return isPossible() && Notification.permission === "granted";
}

/** Whether it makes sense to turn them on. */
export function canNotify(): boolean {
  return isPossible();
}

/** What is to be known before turning them on. */
export function notificationNote(): string {
  if (!isThere()) return "This browser shows them only over HTTPS or on the machine of the server.";
  if (!isPossible()) return "This browser cannot show them.";
  if (Notification.permission === "denied")
    return "The browser forbids them. Allow them for this address in its settings.";
  return "When a session finishes, fails or needs you while this page is hidden";
}

/** One per session: a newer one takes the place of an older one. */
export function showNotification({ sessionId, title, text }: Notice, chosen: () => void): void {
  if (!mayNotify()) return;
  try {
    const shown = new Notification(title, { body: text, tag: `liminal ${sessionId}`, icon: "/favicon.svg" });
    shown.onclick = () => {
      window.focus();
      shown.close();
      chosen();
    };
  } catch {
    isMissing = true;
  }
}

function isPossible(): boolean {
  return isThere() && !misses();
}

function isThere(): boolean {
  return "Notification" in window && window.isSecureContext;
}

function misses(): boolean {
  if (isMissing !== undefined || Notification.permission === "granted") return isMissing === true;
  try {
    new Notification("").close();
    isMissing = false;
  } catch {
    isMissing = true;
  }
  return isMissing;
}
