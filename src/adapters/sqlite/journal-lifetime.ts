import { resolve } from "node:path";
import {
  flagOption,
  functionOption,
  nameOption,
  type OptionCheck,
  optional,
  optionsOf,
} from "../../common/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { inTurns } from "../shared/index.ts";
import { archiveWriter, closeDays, type JournalPoint, requireBound, unwatched } from "./archive/index.ts";
import type { Database } from "./database.ts";
import { forgetting, type KeepRecords } from "./forgetting.ts";
import { hasArchive, noteArchive, storeIdOf } from "./store-id.ts";
import type { Tables } from "./tables.ts";

/** Lifetime of the journal (decisions TA and TC). */
export interface SqliteJournalOptions {
  /** If true, the records of an order are deleted with its row, when retention deletes it. Default false. */
  readonly forget?: boolean;
  /**
   * Directory to which records are copied before they are deleted: one file of lines for the newest day, and one
   * compressed file for each earlier day. It belongs to this store alone (decision VB). Requires `forget`.
   */
  readonly archive?: string;
  /** Called at the named points of archiving and deleting. A crash test kills the process at one of them. */
  readonly probe?: (point: JournalPoint) => void;
}

/** Checks the options of a journal. Throws a RangeError for an archive without `forget`. */
export const journalOption: OptionCheck = (value, name) => {
  journalOptions(value, name);
  const { forget, archive } = value as SqliteJournalOptions;
  if (archive === undefined || forget === true) return;
  throw new RangeError(`${name}.archive needs ${name}.forget: true: without it, no record leaves the store`);
};

const journalOptions: OptionCheck = optionsOf<SqliteJournalOptions>({
  forget: optional(flagOption),
  archive: optional(nameOption),
  probe: optional(functionOption("is called at the named points")),
});

type Guarded = <T>(run: () => T) => Promise<T>;
type Parts = Readonly<{ database: Database; tables: Tables; guarded: Guarded }>;

/** Returns the method with which a store forgets records, if its options say that it does. */
export function journalLifetime(
  { database, tables, guarded }: Parts,
  { forget = false, archive, probe = unwatched }: SqliteJournalOptions = {},
): Pick<OrderStore, "forgetEnded"> {
  if (!forget) return {};
  const folder = archive === undefined ? undefined : resolve(archive);
  const storeId = storeIdOf(database);
  const owner = { storeId, hasArchive: hasArchive(database) };
  const writer = folder === undefined ? undefined : archiveWriter(folder, owner, probe);
  if (writer !== undefined) noteArchive(database);
  const keep: KeepRecords = (records, beforeMs) => writer?.add(records, beforeMs);
  const steps = forgetting({ database, tables }, keep, probe);
  const { immediate: alone } = database.transaction((change: () => void) => {
    tables.marks.requireOwner();
    if (folder !== undefined) requireBound(folder, storeId);
    change();
  });
  return {
    async forgetEnded(range, goesOn) {
      await inTurns(steps(range, goesOn), guarded);
      if (folder === undefined) return;
      await closeDays(folder, { alone, goesOn: () => database.open && goesOn(), probe });
    },
  };
}
