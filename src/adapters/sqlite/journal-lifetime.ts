import { resolve } from "node:path";
import {
  flagOption,
  functionOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
} from "../../common/index.ts";
import { invariant } from "../../errors/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { headIn, headKey, type RecordPlace, type RetainRecords, recordKey } from "../../store/internal.ts";
import { intactValue } from "../checksums/index.ts";
import {
  type ArchivedRecord,
  archiveWriter,
  closeDays,
  type JournalPoint,
  requireBound,
  unwatched,
} from "./archive/index.ts";
import type { Database } from "./database.ts";
import { codeOf } from "./storage-codes.ts";
import { indexAll } from "./storage-journal.ts";
import { hasArchive, noteArchive, storeIdOf } from "./store-id.ts";

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
  forget: optionalOption(flagOption),
  archive: optionalOption(nameOption),
  probe: optionalOption(functionOption("is called at the named points")),
});

/** What a store does beside deleting records. */
export type JournalLifetime = Readonly<{
  /** Keeps records before they are deleted. */
  retain: RetainRecords;
  /** Returns the methods that know of it, in place of those of the store. */
  methodsOf(store: OrderStore): Pick<OrderStore, "acquire" | "forgetEnded">;
}>;

/** Returns what a store does when it forgets records; undefined if its options say that it does not. */
export function journalLifetime(
  database: Database,
  { forget = false, archive, probe = unwatched }: SqliteJournalOptions = {},
): JournalLifetime | undefined {
  if (!forget) return undefined;
  const folder = archive === undefined ? undefined : resolve(archive);
  const storeId = storeIdOf(database);
  const owner = { storeId, hasArchive: hasArchive(database) };
  const writer = folder === undefined ? undefined : archiveWriter(folder, owner, probe);
  if (writer !== undefined) noteArchive(database);
  const recordsAt = archivedRecords(database);
  let epoch = 0;
  const { immediate } = database.transaction((change: () => void) => {
    requireOwner(database, epoch);
    if (folder !== undefined) requireBound(folder, storeId);
    change();
  });
  const alone = (change: () => void): void => {
    if (!database.open) throw new Error("the store is closed");
    immediate(change);
  };
  return {
    retain(places, beforeMs) {
      if (places.length === 0) return;
      if (writer !== undefined) alone(() => writer.add(recordsAt(places), beforeMs));
      probe("before-forget-commit");
    },
    methodsOf: (store) => ({
      async acquire() {
        const heads = await store.acquire();
        epoch = heads[0]?.epoch ?? 0;
        return heads;
      },
      async forgetEnded(range, goesOn) {
        const watched = (): boolean => {
          probe("after-forget-commit");
          return goesOn();
        };
        await store.forgetEnded?.(range, watched);
        if (folder === undefined) return;
        await closeDays(folder, { alone, goesOn: () => database.open && goesOn(), probe });
      },
    }),
  };
}

/** Throws an InvariantError I60 if the store has another owner than that of an epoch. Call it inside a transaction. */
function requireOwner(database: Database, epoch: number): void {
  const key = headKey(0);
  const stored = database
    .prepare<[key: string], string>("SELECT value FROM heads WHERE key = ?")
    .pluck()
    .get(key);
  const head = headIn(stored === undefined ? undefined : intactValue([key, stored], "file"));
  invariant(epoch > 0 && head.epoch === epoch, "I60", "the store belongs to a later owner");
}

/** Returns what reads records by their places, with their positions. Call it inside a transaction. */
function archivedRecords(database: Database): (places: readonly RecordPlace[]) => readonly ArchivedRecord[] {
  const stored = database
    .prepare<[code: string], [position: number, value: string]>(
      `SELECT place.position, value FROM journal_index AS place JOIN journal ON journal.position = place.position
       WHERE place.code = ?`,
    )
    .raw();
  return (places) => {
    // The deletion needs it too.
    indexAll(database);
    return places.flatMap(({ shard, sequence }) => {
      const key = recordKey(shard, sequence);
      const [position, value] = stored.get(codeOf(key) ?? "") ?? [];
      if (position === undefined || value === undefined) return [];
      return [{ position, text: intactValue([key, value], "file") }];
    });
  };
}
