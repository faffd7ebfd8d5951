import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import type { RootDatabase } from "lmdb";
import { nameOption, type OptionCheck, optionalOption, optionsOf, portOption } from "../../common/index.ts";
import type { Clock, CommitPart, Entry, KeyRange, Storage } from "../../ports/index.ts";

/** Options of a storage in an LMDB file. */
export interface LmdbStorageOptions {
  /**
   * The file. If it is missing, it is created, readable only by its owner. LMDB places a second one beside it, with `-lock`
   * after its name.
   */
  readonly path: string;
  /** The wall clock of this machine. A storage with a clock can be shared by several processes of the machine. */
  readonly clock?: Pick<Clock, "nowMs">;
}

const storageOptions: OptionCheck = optionsOf<LmdbStorageOptions>({
  path: nameOption,
  clock: optionalOption(
    portOption<Pick<Clock, "nowMs">>("Clock (managed-orders/ports)", { nowMs: "required" }),
  ),
});

/** Characters of values after which a page ends. */
const LONGEST_PAGE = 8_000_000;

type Database = RootDatabase<string, string>;

/**
 * Opens a storage in an LMDB file, on a disk of this machine: LMDB does not work on a network file system. A commit
 * resolves when the disk has confirmed it; those that are called while another one is written share one flush. Throws an
 * Error if the package lmdb cannot be loaded, or the file cannot be opened.
 *
 * @example
 * ```ts
 * import { openLmdbStorage } from "managed-orders/lmdb";
 * const storage = openLmdbStorage({ path: "orders.lmdb" });
 * await storage.commit([{ conditions: [], puts: [["a", "1"]], deletes: [] }]);
 * await storage.close();
 * ```
 */
export function openLmdbStorage(options: LmdbStorageOptions): Storage {
  storageOptions(options, "openLmdbStorage");
  const { open } = loadLmdb();
  const { clock } = options;
  const path = resolve(options.path);
  createFile(path);
  const database: Database = open({
    path,
    noSubdir: true,
    encoding: "string",
    // With it, a transaction would resolve before it is on the disk.
    overlappingSync: false,
  });
  let isClosed = false;
  const opened = (): Database => {
    if (isClosed) throw new Error("the storage is closed");
    return database;
  };
  return {
    commit: async (parts) => {
      const handle = opened();
      // As a child of the transaction that is written, it is undone alone if it fails.
      return await handle.childTransaction(() => parts.map((part) => written(handle, part)));
    },
    get: async (keys) => {
      const handle = opened();
      return keys.map((key) => handle.get(key));
    },
    range: async (ranges) => {
      const handle = opened();
      return ranges.map((range) => pageOf(handle, range));
    },
    ...(clock && {
      clock: async () => {
        opened();
        return { nowMs: clock.nowMs() };
      },
    }),
    async close() {
      isClosed = true;
      await database.close();
    },
  };
}

/** Writes a part inside a transaction if its conditions hold. LMDB has one writer, so they hold until it ends. */
function written(database: Database, { conditions, puts, deletes }: CommitPart): boolean {
  if (!conditions.every(([key, value]) => database.get(key) === value)) return false;
  for (const [key, value] of puts) database.putSync(key, value);
  for (const key of deletes) database.removeSync(key);
  return true;
}

function pageOf(database: Database, { from, before, limit, reverse = false }: KeyRange): readonly Entry[] {
  if (from >= before) return [];
  const bounds = reverse
    ? { start: before, exclusiveStart: true, end: from, inclusiveEnd: true, reverse }
    : { start: from, end: before };
  const page: Entry[] = [];
  let room = LONGEST_PAGE;
  for (const { key, value } of database.getRange({ ...bounds, limit })) {
    page.push([key, value]);
    room -= value.length;
    if (room < 0) break;
  }
  return page;
}

/** Creates a file, and its directory, that only its owner can read. LMDB would let everybody read it. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** Loads the package lmdb. The built package also contains this file as CommonJS, which has no `import.meta`. */
function loadLmdb(): typeof import("lmdb") {
  const load = createRequire(typeof __filename === "string" ? __filename : import.meta.url);
  try {
    return load("lmdb");
  } catch (cause) {
    const problem =
      "The LMDB storage needs the package lmdb, which cannot be loaded. Install it: npm install lmdb";
    throw new Error(problem, { cause });
  }
}
