/** Which sessions are open side by side, in which order, and which were closed. Pure: every function gives back the next tabs. */
import type { CliType, SessionId } from "../contract";
import { keptRecord, keptTexts } from "../dom/kept-value";

/** What a tab shows until its session is known again. */
export type TabMeta = { title: string; cliType: CliType };

export type Tabs = {
  open: readonly SessionId[];
  /** The last one that was closed comes last. */
  closed: readonly SessionId[];
  meta: Readonly<Record<SessionId, TabMeta>>;
};

const REOPENABLE = 20;

export const noTabs: Tabs = { open: [], closed: [], meta: {} };

export function opened(tabs: Tabs, sessionId: SessionId): Tabs {
  if (tabs.open.includes(sessionId)) return tabs;
  const closed = tabs.closed.filter((other) => other !== sessionId);
  return { ...tabs, open: [...tabs.open, sessionId], closed };
}

export function closed(tabs: Tabs, sessionId: SessionId): Tabs {
  if (!tabs.open.includes(sessionId)) return tabs;
  const open = tabs.open.filter((other) => other !== sessionId);
  return { ...tabs, open, closed: [...tabs.closed, sessionId].slice(-REOPENABLE) };
}

/** Who takes the place of a tab that closes: the next one, or the previous one of the last. */
export function successor(tabs: Tabs, sessionId: SessionId): SessionId | undefined {
  const at = tabs.open.indexOf(sessionId);
  return at < 0 ? undefined : (tabs.open[at + 1] ?? tabs.open[at - 1]);
}

/** Puts a tab at a place, counted without itself. */
export function moved(tabs: Tabs, sessionId: SessionId, to: number): Tabs {
  const at = tabs.open.indexOf(sessionId);
  const place = Math.max(0, Math.min(to, tabs.open.length - 1));
  if (at < 0 || at === place) return tabs;
  const others = tabs.open.filter((other) => other !== sessionId);
  return { ...tabs, open: [...others.slice(0, place), sessionId, ...others.slice(place)] };
}

/** The tab beside the active one, round and round. */
export function beside(tabs: Tabs, active: SessionId | undefined, step: 1 | -1): SessionId | undefined {
  const { open } = tabs;
  const at = active === undefined ? -1 : open.indexOf(active);
  if (at < 0) return open.at(step > 0 ? 0 : -1);
  return open[(at + step + open.length) % open.length];
}

/** The ninth key means the last tab, however many there are. */
export function numbered(tabs: Tabs, number: number): SessionId | undefined {
  return number === 9 ? tabs.open.at(-1) : tabs.open[number - 1];
}

/** Forgets those of which nothing is known. */
export function known(tabs: Tabs, isKnown: (sessionId: SessionId) => boolean): Tabs {
  const open = tabs.open.filter(isKnown);
  const closedOnes = tabs.closed.filter(isKnown);
  if (open.length === tabs.open.length && closedOnes.length === tabs.closed.length) return tabs;
  return { ...tabs, open, closed: closedOnes };
}

/** Keeps what the open tabs show; the same tabs when nothing changed. */
export function described(tabs: Tabs, metaOf: (sessionId: SessionId) => TabMeta | undefined): Tabs {
  const meta: Record<SessionId, TabMeta> = {};
  for (const sessionId of tabs.open) {
    const now = metaOf(sessionId) ?? tabs.meta[sessionId];
    if (now) meta[sessionId] = now;
  }
  return JSON.stringify(meta) === JSON.stringify(tabs.meta) ? tabs : { ...tabs, meta };
}

/** Which of the tabs that were kept was in sight. */
export function activeIn(kept: unknown): SessionId | undefined {
  const { activeTab } = keptRecord(kept);
  return typeof activeTab === "string" && readTabs(kept).open.includes(activeTab) ? activeTab : undefined;
}

/** As it is kept; where the address names a session, that decides. */
export function keptForm(tabs: Tabs, activeTab: SessionId | undefined): Record<string, unknown> {
  const { open, closed: closedTabs, meta } = tabs;
  return { openTabs: open, activeTab: activeTab ?? null, tabOrder: open, closedTabs, tabMeta: meta };
}

export function readTabs(kept: unknown): Tabs {
  const { openTabs, tabOrder, closedTabs, tabMeta } = keptRecord(kept);
  const wanted = new Set(keptTexts(openTabs));
  const open = [...new Set([...keptTexts(tabOrder).filter((id) => wanted.has(id)), ...wanted])];
  const meta = Object.entries(keptRecord(tabMeta)).flatMap(([id, one]): [SessionId, TabMeta][] => {
    const { title, cliType } = keptRecord(one);
    return typeof title === "string" && typeof cliType === "string" ? [[id, { title, cliType }]] : [];
  });
  return { open, closed: keptTexts(closedTabs), meta: Object.fromEntries(meta) };
}
