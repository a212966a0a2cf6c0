/** Starts the page: uses a login link if there is one, then shows the sessions or says what is missing. */

import { App } from "./app";
import { dialogs } from "./dialogs-later";
import { failurePanel } from "./dom/failure-panel";
import { useLoginLink } from "./login/login";
import { loginPanel } from "./login/login-panel";
import { applyPreferences } from "./preferences/apply";
import { preferences } from "./preferences/preferences";
import { ApiError, projects } from "./server/api";

// Before anything is drawn: a page that is meant to be dark must not flash.
applyPreferences(preferences);
void start();

async function start(): Promise<void> {
  const problem = await useLoginLink();
  try {
    // Any answer will do: it tells whether this browser is logged in.
    await projects();
    showApp();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    show(error.status === 401 ? loginPanel(problem) : failurePanel(error.message));
    // A login link pasted into this tab changes only what is behind the #, which does not load the page anew.
    window.addEventListener("hashchange", () => location.reload(), { once: true });
  }
}

function showApp(): void {
  const app = new App(socketUrl(), { loggedOut: () => show(loginPanel("You were logged out.")) });
  show(app.root);
  app.start();
  dialogs.whenHere(({ startTurning }) => startTurning());
}

function show(root: HTMLElement): void {
  document.body.replaceChildren(root);
}

function socketUrl(): string {
  const url = new URL("/ws", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}
