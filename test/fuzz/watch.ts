/** What was noticed of a process that should have nothing to say. */
export type Watch = Readonly<{
  /** Errors that nobody caught, rejections that nobody handled, warnings of Node, in the order in which they came. */
  noticed: () => readonly string[];
  /** Longest time that the event loop was kept busy by this process, milliseconds. */
  longestTurnMs: () => number;
}>;

const EVERY_MS = 50;

/** Begins to watch this process. A turn counts what the process used of the processor: a machine that is busy elsewhere is no fault. */
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
