import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../common/index.ts";
import { archiveError, daysOf, syncFolder } from "./archive-folder.ts";

/** Name of the file that says to which store an archive belongs. */
const OWNER = "store-id";

const path = (folder: string): string => join(folder, OWNER);
const textOf = (storeId: number): string => `${storeId}\n`;

/**
 * Binds an archive to a store, if it is not bound yet. Throws an Error that names the directory if it belongs to another
 * store, or has records but does not say whose they are.
 */
export function bindArchive(folder: string, storeId: number): void {
  const owner = ownerOf(folder);
  // A crash can leave the file empty. Records are added only when its text is on disk.
  if (owner !== undefined && owner !== "") return demand(folder, owner, storeId);
  if (daysOf(folder).length > 0)
    throw problem(folder, "has records of a store that it does not name: choose another directory");
  try {
    write(folder, textOf(storeId));
  } catch (cause) {
    throw archiveError(path(folder), "cannot be written", cause);
  }
}

/** Throws an Error that names the directory unless the archive is bound to the store. */
export function requireBound(folder: string, storeId: number): void {
  demand(folder, ownerOf(folder), storeId);
}

function demand(folder: string, owner: string | undefined, storeId: number): void {
  if (owner === textOf(storeId)) return;
  throw problem(
    folder,
    "belongs to another store: choose another directory; a restored store never continues the archive of the old one",
  );
}

function ownerOf(folder: string): string | undefined {
  try {
    return readFileSync(path(folder), "utf8");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw archiveError(path(folder), "cannot be read", cause);
  }
}

function write(folder: string, text: string): void {
  const file = openSync(path(folder), "w", 0o600);
  try {
    writeSync(file, text);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(folder);
}

const problem = (folder: string, what: string): Error =>
  Object.assign(new Error(`the archive ${folder} ${what}`), {
    code: "STORE_FILE",
  });
