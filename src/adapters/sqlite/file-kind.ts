import type { Database } from "./database.ts";
import { FileProblem } from "./file-problem.ts";

/**
 * What a file of this package is. A backup is never opened as a store: orders that are open in it may have been executed
 * since (decision VD).
 */
export type FileKind = "store" | "backup";

/** The application id in the header of each kind of file ("mord" and "mobk" in ASCII). */
const APPLICATION_IDS: Readonly<Record<FileKind, number>> = { store: 0x6d6f7264, backup: 0x6d6f626b };

/** Returns the kind of a file, undefined for an empty one and for one of another program. */
export function kindOf(database: Database): FileKind | undefined {
  const application = database.pragma("application_id", { simple: true });
  if (application === APPLICATION_IDS.store) return "store";
  return application === APPLICATION_IDS.backup ? "backup" : undefined;
}

/** Writes the kind of a file to its header. */
export function markAs(database: Database, kind: FileKind): void {
  database.pragma(`application_id = ${APPLICATION_IDS[kind]}`);
}

/** Throws an Error that names the file if it is a backup. */
export function refuseBackup(database: Database, name: string): void {
  if (kindOf(database) !== "backup") return;
  throw new FileProblem(
    `${name} is a backup, and orders that are open in it may have been executed since: make a new store of it with managed-orders restore or restoreSqliteStore`,
  );
}
