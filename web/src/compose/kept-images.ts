/**
 * The images of drafts and of messages that are not known to have arrived, kept by the browser: they outlive a reload.
 *
 * Where it keeps nothing, as some do in private windows, nothing is found, and nothing else is wrong.
 */
const STORE = "images";
const CHANGES = "liminal-images";
/** As much is kept of all of them; of more the oldest go. A message has at most 20 MB. */
const MOST_BYTES = 200 * 1024 * 1024;

type Kept = { name: string; files: File[]; at: number };

let database: Promise<IDBDatabase> | undefined;
const changes = new BroadcastChannel(CHANGES);

/** No files means that nothing is to be kept any more. */
export async function keepImages(name: string, files: File[]): Promise<void> {
  try {
    const store = await opened("readwrite");
    if (files.length === 0) store.delete(name);
    else await put(store, { name, files, at: Date.now() });
    await over(store.transaction);
    changes.postMessage(name);
  } catch {
    // Storage may be forbidden or full: they live as long as the page.
  }
}

export async function findImages(name: string): Promise<File[]> {
  try {
    const store = await opened("readonly");
    return (await answerOf<Kept | undefined>(store.get(name)))?.files ?? [];
  } catch {
    return [];
  }
}

/** Calls with the name of what another window changed. */
export function followImages(changed: (name: string) => void): void {
  changes.addEventListener("message", ({ data }) => changed(String(data)));
}

async function opened(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  database ??= openDatabase();
  return (await database).transaction(STORE, mode).objectStore(STORE);
}

async function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open("liminal", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "name" });
  return answerOf(request);
}

async function put(store: IDBObjectStore, kept: Kept): Promise<void> {
  store.put(kept);
  const all = await answerOf<Kept[]>(store.getAll());
  let bytes = 0;
  for (const { name, files } of all.sort((a, b) => b.at - a.at)) {
    for (const { size } of files) bytes += size;
    if (bytes > MOST_BYTES) store.delete(name);
  }
}

function answerOf<Answer>(request: IDBRequest<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function over(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
