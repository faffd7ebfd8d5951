/**
 * Points at which the probe of a journal is called: before and while records are written to the archive and when they are
 * on disk; before the transaction that deletes them commits, and after it; and, while a day is compressed, when the
 * compressed file is complete under another name, and when it has its name and the lines are still there.
 */
export type JournalPoint =
  | "before-archive-write"
  | "during-archive-write"
  | "after-archive-write"
  | "before-forget-commit"
  | "after-forget-commit"
  | "before-archive-swap"
  | "during-archive-swap";

/** All points, in this order. */
export const JOURNAL_POINTS: readonly JournalPoint[] = [
  "before-archive-write",
  "during-archive-write",
  "after-archive-write",
  "before-forget-commit",
  "after-forget-commit",
  "before-archive-swap",
  "during-archive-swap",
];

/** Is called at a point. A crash test kills the process there. */
export type Probe = (point: JournalPoint) => void;

/** The probe of a journal that nobody watches. */
export const unwatched: Probe = () => undefined;
