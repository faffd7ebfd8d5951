import { randomUUID } from "node:crypto";
import { closeSync, fdatasyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../../common/index.ts";
import { FileProblem } from "../file-problem.ts";
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
  if (ownerOf(folder) === undefined) {
    if (daysOf(folder).length > 0)
      throw problem(folder, "has records of a store that it does not name: choose another directory");
    try {
      create(folder, textOf(storeId));
    } catch (cause) {
      throw archiveError(path(folder), "cannot be written", cause);
    }
  }
  requireBound(folder, storeId);
}

/** Throws an Error that names the directory unless the archive is bound to the store. */
export function requireBound(folder: string, storeId: number): void {
  const owner = ownerOf(folder);
  if (owner === textOf(storeId)) return;
  throw owner === undefined
    ? problem(
        folder,
        `lacks the file ${OWNER}, which the archive of this store has: is its volume mounted? To move the archive, copy all its files`,
      )
    : problem(
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

/**
 * Creates the file, complete and on disk when it has its name, so that a crash leaves no part of a text. If another
 * process creates it meanwhile, that file stays.
 */
function create(folder: string, text: string): void {
  const part = `${path(folder)}.${randomUUID()}.part`;
  try {
    const file = openSync(part, "w", 0o600);
    try {
      writeFileSync(file, text);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(part, path(folder));
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw cause;
  } finally {
    rmSync(part, { force: true });
  }
  syncFolder(folder);
}

const problem = (folder: string, what: string): Error => new FileProblem(`the archive ${folder} ${what}`);
