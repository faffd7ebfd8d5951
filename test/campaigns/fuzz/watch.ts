/** Observations of a process that should report none. */
export type Watch = Readonly<{
  /** Uncaught errors, unhandled rejections, warnings of Node, in order. */
  noticed: () => readonly string[];
  /** Longest time that this process kept the event loop busy, in milliseconds. */
  longestTurnMs: () => number;
}>;

const EVERY_MS = 50;

/**
 * Starts watching this process. A turn counts processor time of this process: other load on the machine is not its
 * fault.
 */
export function watchProcess(): Watch {
  const noticed: string[] = [];
  const note = (kind: string) => (what: unknown) => {
    if (noticed.length < 20)
      noticed.push(`${kind}: ${what instanceof Error ? (what.stack ?? what.message) : String(what)}`);
  };
  process.on("uncaughtException", note("uncaughtException"));
  process.on("unhandledRejection", note("unhandledRejection"));
  process.on("warning", note("warning"));
  let longest = 0;
  let at = performance.now();
  let used = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    const late = performance.now() - at - EVERY_MS;
    longest = Math.max(longest, Math.min(late, (user + system) / 1_000));
    at = performance.now();
    used = process.cpuUsage();
  }, EVERY_MS).unref();
  return { noticed: () => noticed, longestTurnMs: () => longest };
}
