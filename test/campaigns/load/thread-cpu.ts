import { readdirSync, readFileSync } from "node:fs";

/** The length of a tick in the system's accounting. */
const TICK_US = 10_000;

/** Processor time of the threads of a process: that of the engine, of all front threads, of all others. */
export type ThreadCpu = Readonly<{ mainUs: number; frontsUs: number; othersUs: number }>;

/** Time of each thread of this process so far, by its id; empty if the system does not report it. */
function times(): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const id of threadIds()) {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
    times.set(id, (user + system) * TICK_US);
  }
  return times;
}

function threadIds(): readonly string[] {
  try {
    return readdirSync("/proc/self/task");
  } catch {
    return [];
  }
}

/**
 * Measures the time of the threads. The front threads are the busiest of those that started after `before`: the others
 * collect garbage or wait for disks.
 */
export function threadCpuSince(before: readonly string[], frontThreads: number): () => ThreadCpu {
  const known = new Set(before);
  return () => {
    const all = times();
    const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
    const mainUs = all.get(String(process.pid)) ?? 0;
    const added = [...all].filter(([id]) => !known.has(id)).map(([, us]) => us);
    const frontsUs = sum(added.sort((a, b) => b - a).slice(0, frontThreads));
    return { mainUs, frontsUs, othersUs: sum([...all.values()]) - mainUs - frontsUs };
  };
}

/** The present threads. */
export const threadsNow = (): readonly string[] => threadIds();
