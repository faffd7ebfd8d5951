import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { errorCode } from "../../common/index.ts";
import type { Database, SqliteDriverName } from "./database.ts";
import { loadDriver } from "./driver.ts";
import { useDriver } from "./driver-in-use.ts";
import { refuseBackup } from "./file-kind.ts";
import {
  explained,
  inUse,
  refuseOthers,
  requireNewest,
  requireThere,
  withFileName,
} from "./open-database.ts";

/** Where a store is, and the driver to read it with. */
export type ReadingOptions = Readonly<{ path: string; driver?: SqliteDriverName | undefined }>;

/**
 * Runs work on the contents of a store or a backup at one moment, through a connection that only reads. Other connections
 * go on reading and writing meanwhile; the write-ahead log grows until the work is done. Rejects with an Error that names
 * the file if it is not a store of this version or cannot be read.
 */
export async function atOneMoment<T>(
  options: ReadingOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return await reading(options, work, { alone: false });
}

/**
 * Runs work on the contents of a store that no other connection has open, and keeps others from opening it meanwhile.
 * Nothing of it changes. Rejects like {@link atOneMoment}, if the file is a backup, and with the code EBUSY if the store
 * is in use.
 */
export async function atRest<T>(
  options: ReadingOptions,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return await reading(options, work, { alone: true });
}

type Sharing = Readonly<{ alone: boolean }>;

async function reading<T>(
  { path, driver }: ReadingOptions,
  work: (database: Database) => Promise<T>,
  sharing: Sharing,
): Promise<T> {
  const name = basename(path);
  const { database, release } = openToRead({ path, driver }, name, sharing);
  try {
    return await work(database);
  } catch (error) {
    throw withFileName(error, name);
  } finally {
    release();
  }
}

function openToRead(
  { path, driver: wanted }: ReadingOptions,
  name: string,
  { alone }: Sharing,
): Readonly<{ database: Database; release: () => void }> {
  const driver = loadDriver(wanted);
  let database: Database | undefined;
  let endUse = (): void => undefined;
  const release = (): void => {
    database?.close();
    endUse();
  };
  try {
    requireThere(path);
    const real = realpathSync(path);
    endUse = useDriver(real, driver.name, name);
    database = driver.open(real, alone ? { timeoutMs: 0 } : { readonly: true });
    // Every connection to a file with a write-ahead log holds a shared lock on it for as long as it is open.
    if (alone) database.pragma("locking_mode = EXCLUSIVE");
    refuseOthers(database, name);
    if (alone) refuseBackup(database, name);
    requireNewest(database, name);
    database.exec("BEGIN");
    // A transaction sees the moment of its first read.
    database.prepare("SELECT 1 FROM heads").get();
    return { database, release };
  } catch (error) {
    release();
    throw alone && errorCode(error) === "SQLITE_BUSY" ? inUse(error, name) : explained(error, name);
  }
}
