import type { SweepProgress } from "./sweep-row.ts";

/** Where a progress is shown: standard error of Node.js. */
export type Output = Readonly<{
  isTTY?: boolean;
  columns?: number;
  write: (text: string) => unknown;
}>;

/** What is shown of a progress. */
export type Shown = Pick<SweepProgress, "done" | "failed" | "total" | "remainingMs">;

/** Shows how far a sweep is. */
export type ProgressDisplay = Readonly<{ show: (progress: Shown) => void; end: () => void }>;

const BAR_WIDTH = 30;
const DEFAULT_COLUMNS = 80;
/** Lines of a display that is no terminal. */
const STEPS = 10;
/** Goes to the start of the line and clears it. */
const CLEAR_LINE = "\r\u001b[K";

/** Returns a display: on a terminal one line that is drawn again, otherwise a new line for each tenth. */
export function createProgressDisplay(output: Output, total: number): ProgressDisplay {
  return output.isTTY === true ? bar(output, total) : lines(output);
}

function bar(output: Output, total: number): ProgressDisplay {
  const draw = (progress: Shown): void => {
    const filled = Math.floor((BAR_WIDTH * progress.done) / progress.total);
    replace(`[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${textOf(progress)}`);
  };
  const replace = (line: string): void => {
    // A terminal that does not know its width says 0.
    const columns = output.columns || DEFAULT_COLUMNS;
    // A line that is longer than the terminal would wrap, and the next one could not replace it.
    output.write(`${CLEAR_LINE}${line.slice(0, Math.max(columns - 1, 1))}`);
  };
  if (total > 0) replace(`[${"-".repeat(BAR_WIDTH)}] 0 of ${total} sets`);
  return { show: draw, end: () => void (total > 0 && output.write("\n")) };
}

function lines(output: Output): ProgressDisplay {
  let shown = 0;
  const show = (progress: Shown): void => {
    const step = Math.floor((STEPS * progress.done) / progress.total);
    if (step === shown) return;
    shown = step;
    output.write(`sweep: ${textOf(progress)}\n`);
  };
  return { show, end: () => undefined };
}

function textOf({ done, failed, total, remainingMs }: Shown): string {
  const percent = Math.floor((100 * done) / total);
  const failures = failed === 0 ? "" : `, ${failed} failed`;
  const left = done === total ? "" : `, ${durationText(remainingMs)} left`;
  return `${done} of ${total} sets (${percent} %)${failures}${left}`;
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? rest : `${seconds} s`;
}
