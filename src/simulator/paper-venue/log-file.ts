import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { deviceProblem, errorCode, linksProblem } from "../../common/index.ts";

/** File operations that a log needs. */
export type LogFile = Pick<FileHandle, "truncate" | "appendFile" | "datasync" | "close" | "read">;

/** Location of a log's file, and how another file replaces it. */
export type LogPlace = Readonly<{
  /** Creates an empty file beside it. */
  begin: () => Promise<LogFile>;
  /** Replaces the old file with the new one. A crash leaves one of the two. */
  replace: () => Promise<void>;
  /** Resolves when the replacement is durable. */
  settle: () => Promise<void>;
  /** Deletes the new file. */
  discard: () => Promise<void>;
}>;

/**
 * A log's file that is open for appending, and its place. `own` removes other users' permissions from it, and what a crash has
 * left beside it: it is to be called once the file is known to be a log.
 */
export type OpenedFile = Readonly<{ file: FileHandle; place: LogPlace; own: () => Promise<void> }>;

/**
 * Opens or creates the file of a log. Rejects with an Error that names it: with the system's code, or with `STORE_FILE`
 * if it is no file, or has a second hard link, through which another process could write it. Source: decision FQ.
 */
export async function openLogFile(path: string): Promise<OpenedFile> {
  await refuseDevices(path);
  const file = await openFile(path);
  try {
    await refuseLinks(file, basename(path));
    const place = placeOf(await realpath(path));
    return { file, place, own: () => ownFile(file, path, place) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(path, "a+", 0o600);
  } catch (cause) {
    throw unopened(path, cause);
  }
}

async function ownFile(file: FileHandle, path: string, place: LogPlace): Promise<void> {
  try {
    if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600);
    await place.discard();
  } catch (cause) {
    // The system's message does not name a file that is given by its descriptor.
    throw unopened(path, cause);
  }
}

function unopened(path: string, cause: unknown): Error {
  const code = errorCode(cause);
  return Object.assign(new Error(`${basename(path)} cannot be opened (${code})`, { cause }), { code });
}

async function refuseDevices(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const problem = deviceProblem(basename(path), found);
  if (problem !== undefined) throw unusable(problem);
}

async function refuseLinks(file: FileHandle, name: string): Promise<void> {
  if ((await file.stat()).nlink <= 1) return;
  throw unusable(linksProblem(name));
}

const unusable = (message: string): Error => Object.assign(new Error(message), { code: "STORE_FILE" });

function placeOf(path: string): LogPlace {
  const beside = `${path}.new`;
  const discard = (): Promise<void> => rm(beside, { force: true });
  return {
    discard,
    async begin() {
      await discard();
      return await open(beside, "ax+", 0o600);
    },
    replace: () => rename(beside, path),
    async settle() {
      const folder = await open(dirname(path), "r");
      await folder.sync().finally(() => folder.close());
    },
  };
}
