export { closeDays } from "./archive-closing.ts";
export { makeFolder } from "./archive-folder.ts";
export { type ArchivedLine, readArchive } from "./archive-reader.ts";
export { type ArchiveWriter, archiveWriter } from "./archive-writer.ts";
