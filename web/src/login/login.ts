/** Turns the one-time code of a login link into the cookie of this browser. */

import { routeOf } from "../route";
import { ApiError, login } from "../server/api";

/** Why a login link did not work, in words; absent when it worked or there was none. */
export async function useLoginLink(): Promise<string | undefined> {
  const route = routeOf(location.hash);
  if (route.kind !== "login") return undefined;
  try {
    await login({ code: route.code });
    forgetCode();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Without an answer the code is still good: it stays in the address for a reload.
    if (error.status !== 0) forgetCode();
    return explained(error);
  }
}

/** The code must not stay in the address, where it would be bookmarked and shared. */
function forgetCode(): void {
  history.replaceState(null, "", location.pathname);
}

function explained(error: ApiError): string {
  if (error.status === 401) return "This login link was already used, or it is older than ten minutes.";
  if (error.status === 429) return "Too many login attempts. Wait a minute, then reload this page.";
  return error.message;
}
