/** A browser that is stopped as a whole, as it is when a laptop sleeps. */
import { readdirSync, readFileSync } from "node:fs";

/** Runs `meanwhile` with every process of this worker's browser stopped. Nothing may be asked of a page then. */
export async function whileAsleep(meanwhile: () => Promise<void>): Promise<void> {
  const processes = browserProcesses();
  if (processes.length === 0) throw new Error("no browser was found");
  for (const pid of processes) process.kill(pid, "SIGSTOP");
  try {
    await meanwhile();
  } finally {
    for (const pid of processes) process.kill(pid, "SIGCONT");
  }
}

/** Those that this process started, with those that they started. */
function browserProcesses(): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const known = all.flatMap((name) => processOf(Number(name)));
  const found = new Set([process.pid]);
  // A child has a higher number than its parent until numbers begin anew: so until nothing is found any more.
  for (let count = 0; count < found.size; ) {
    count = found.size;
    for (const { pid, parent } of known) if (found.has(parent)) found.add(pid);
  }
  return known.filter(({ pid, name }) => found.has(pid) && name.includes("chrom")).map(({ pid }) => pid);
}

type Process = { pid: number; name: string; parent: number };

/** Nothing if it has ended meanwhile. */
function processOf(pid: number): Process[] {
  try {
    const [, name = "", parent] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return [{ pid, name, parent: Number(parent) }];
  } catch {
    return [];
  }
}
