export { closeDays } from "./archive-closing.ts";
export type { ArchivedRecord } from "./archive-line.ts";
export { requireBound } from "./archive-owner.ts";
export { type ArchivedLine, readArchive } from "./archive-reader.ts";
export { archiveWriter } from "./archive-writer.ts";
export {
  JOURNAL_POINTS,
  type JournalPoint,
  type Probe,
  unwatched,
} from "./journal-point.ts";
