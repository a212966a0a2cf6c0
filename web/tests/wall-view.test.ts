// @vitest-environment happy-dom
import { expect, test } from "vitest";
import type { SessionListItem } from "../src/contract";
import { Glances } from "../src/directory/glances";
import { PageFrame } from "../src/overview/page-frame";
import { emptyDesk } from "../src/permissions/desk";
import { WallView } from "../src/wall/wall-view";
import { session, status } from "./samples";

const at = (n: number) => new Date(n * 1000).toISOString();

function wall() {
  const frame = new PageFrame("wall", "Wall", "Loading sessions", "tiles");
  const view = new WallView(frame, new Glances(), { answered: () => {}, stop: () => {}, resume: () => {} });
  /** Sessions, and whether the agent of the first one is alive. */
  const show = (sessions: SessionListItem[], isAlive: boolean, isLoaded = true) => {
    const statuses = new Map(sessions.map(({ sessionId }, n) => [sessionId, n > 0 || isAlive] as const));
    view.render({
      sessions,
      statuses: new Map([...statuses].map(([id, alive]) => [id, status(id, { isAlive: alive })])),
      projectNameOf: () => "",
      waitingIn: () => [],
      isNew: () => false,
      desk: emptyDesk,
      isLoaded,
      isLive: true,
    });
    return [...frame.content.querySelectorAll<HTMLElement>(".tile")].map((tile) => tile.dataset.sessionId);
  };
  return { view, show };
}

const other = session("b", { createdAt: at(2) });
const first = (status: SessionListItem["status"]) => session("a", { createdAt: at(1), status });

for (const isLoaded of [true, false]) {
  test(`a session whose end is told after that of its agent comes back to its place, loaded: ${isLoaded}`, () => {
    const { view, show } = wall();
    expect(show([first("open"), other], true, isLoaded)).toEqual(["a", "b"]);
    expect(show([first("open"), other], false, isLoaded)).toEqual(["b"]);
    expect(show([first("dead"), other], false, isLoaded)).toEqual(["a", "b"]);
    view.enter();
    expect(show([first("dead"), other], false, isLoaded)).toEqual(["b"]);
  });
}
