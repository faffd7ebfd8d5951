/** The faults of every function of a host. */
export const COLUMNS = [
  "throws",
  "rejects",
  "never answers",
  "answers late",
  "wrong type",
  "out of range",
  "twice",
  "after close",
  "while opening",
] as const;

/** A fault of every function of a host. */
export type Column = (typeof COLUMNS)[number];

/** By how much a late answer is late, in milliseconds: more than the engine waits. */
export const LATE_MS = 6_000;

/** When an answer comes that comes after the close, in milliseconds. */
export const AFTER_CLOSE_MS = 1_000;
