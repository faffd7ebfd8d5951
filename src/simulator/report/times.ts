/** The last time that a date can have. */
const LAST_MS = 8.64e15;

const SECOND_MS = 1_000;
const MINUTE_MS: number = 60 * SECOND_MS;
const HOUR_MS: number = 60 * MINUTE_MS;

/** Length of a day in milliseconds. */
export const DAY_MS: number = 24 * HOUR_MS;

/** Returns date and time in UTC as ISO 8601 writes them, without a zone; undefined beyond the range of dates. */
function isoText(timeMs: number): string | undefined {
  return timeMs >= 0 && timeMs <= LAST_MS ? new Date(timeMs).toISOString().slice(0, -1) : undefined;
}

/** Returns the date of a time in UTC. */
export function dateText(timeMs: number): string {
  return isoText(timeMs)?.replace(/T.*/, "") ?? `${timeMs} ms`;
}

/** Returns the time of day in UTC, with milliseconds only if there are any. */
export function clockText(timeMs: number): string {
  const text = isoText(timeMs)?.replace(/.*T/, "");
  return text?.replace(/\.000$/, "") ?? `${timeMs} ms`;
}

/** Returns date and time of day in UTC. */
export function instantText(timeMs: number): string {
  return timeMs <= LAST_MS ? `${dateText(timeMs)} ${clockText(timeMs)}` : `${timeMs} ms`;
}

/** Returns the label of a tick of a time axis: no finer than the distance between ticks. */
export function tickText(timeMs: number, stepMs: number): string {
  if (stepMs >= DAY_MS) return dateText(timeMs);
  if (timeMs % DAY_MS === 0) return dateText(timeMs).slice(5);
  if (stepMs >= MINUTE_MS) return clockText(timeMs).slice(0, 5);
  return stepMs >= SECOND_MS ? clockText(timeMs).slice(0, 8) : clockText(timeMs).slice(6);
}
