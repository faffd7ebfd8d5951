import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createGzip } from "node:zlib";
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
import {
  headIn,
  headKey,
  prunedJournalOption,
  type RecordPlace,
  type RetainRecords,
  recordKey,
} from "../../store/internal.ts";
import { intactValue } from "../checksums/index.ts";
import {
  type ArchiveDay,
  type ArchivedLine,
  type ArchivedRecord,
  archiveError,
  bindArchive,
  daysOf,
  lineOf,
  linesPath,
  makeFolder,
  partsOf,
  readCompressed,
  readLines,
  requireBound,
  sizesOf,
  syncFolder,
  wholeLines,
} from "./archive.ts";
import type { Database } from "./database.ts";
import { codeOf } from "./keys.ts";
import { hasArchive, noteArchive, storeIdOf } from "./schema.ts";
import { indexAll } from "./storage.ts";

/**
 * Points at which the probe of a journal is called: before and while records are written to the archive and when they are
 * on disk; before the transaction that deletes them commits, and after it; and, while a day is compressed, when the
 * compressed file is complete under another name, and when it has its name and the lines are still there.
 */
export type JournalPoint =
  | "before-archive-write"
  | "during-archive-write"
  | "after-archive-write"
  | "before-prune-commit"
  | "after-prune-commit"
  | "before-archive-swap"
  | "during-archive-swap";

/** Is called at a point. A crash test kills the process there. */
type Probe = (point: JournalPoint) => void;

/** The probe of a journal that nobody watches. */
const unwatched: Probe = () => undefined;

/** Lifetime of the journal. */
export interface SqliteJournalOptions {
  /** If true, the records of an order are deleted with its row, when retention deletes it. Default false. */
  readonly prune?: boolean;
  /**
   * Directory to which records are copied before they are deleted: one file of lines for the newest day, and one compressed
   * file for each earlier day. It belongs to this store alone. Requires `prune`.
   */
  readonly archive?: string;
  /** Called at the named points of archiving and deleting. A crash test kills the process at one of them. */
  readonly probe?: (point: JournalPoint) => void;
}

/** Checks the options of a journal. */
export const journalOption: OptionCheck = prunedJournalOption(
  optionsOf<SqliteJournalOptions>({
    prune: optionalOption(flagOption),
    archive: optionalOption(nameOption),
    probe: optionalOption(functionOption("is called at the named points")),
  }),
);

/** What a store does beside deleting records. */
type JournalLifetime = Readonly<{
  /** Keeps records before they are deleted. */
  retain: RetainRecords;
  /** Returns the methods that know of it, in place of those of the store. */
  methodsOf(store: OrderStore): Pick<OrderStore, "acquire" | "pruneEnded">;
}>;

/** Runs work that writes through this connection while no other one has a transaction. */
export type Alone = (work: () => void) => void | Promise<void>;

/** Returns what a store does when it forgets records; undefined if its options say that it does not. */
export function journalLifetime(
  database: Database,
  { prune = false, archive, probe = unwatched }: SqliteJournalOptions = {},
  inTurn: Alone = (work) => work(),
): JournalLifetime | undefined {
  if (!prune) return undefined;
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
  const alone: Alone = (change) =>
    inTurn(() => {
      if (!database.open) throw new Error("the store is closed");
      immediate(change);
    });
  return {
    async retain(places, beforeMs) {
      if (places.length === 0) return;
      if (writer !== undefined) await alone(() => writer(recordsAt(places), beforeMs));
      probe("before-prune-commit");
    },
    methodsOf: (store) => ({
      async acquire() {
        const heads = await store.acquire();
        epoch = heads[0]?.epoch ?? 0;
        return heads;
      },
      async pruneEnded(range, goesOn) {
        const watched = (): boolean => {
          probe("after-prune-commit");
          return goesOn();
        };
        await store.pruneEnded?.(range, watched);
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

/** Number of bytes that one call writes, and of characters that are compressed at a time. */
const BLOCK = 65_536;

/**
 * Opens the archive of a store in a directory, which it creates with mode 0700 for a store without an archive. `probe` is
 * called at the named points of an addition. Throws an Error that names the directory if it belongs to another store, or
 * if it belongs to none and the store has an archive already.
 *
 * The returned function adds records to the file of a day, or of a later day that the archive has already begun. It
 * returns when they are on disk. If that fails, it throws an Error that names the file; a part of a line that was written
 * is cut off before the next record. Call it while no other process can.
 */
export function archiveWriter(
  folder: string,
  { storeId, hasArchive }: Readonly<{ storeId: number; hasArchive: boolean }>,
  probe: Probe = unwatched,
): (records: readonly ArchivedRecord[], dayMs: number) => void {
  if (hasArchive) requireBound(folder, storeId);
  makeFolder(folder);
  bindArchive(folder, storeId);
  /** The file whose name this writer has brought to the disk. */
  let named: string | undefined;
  return (records, dayMs) => {
    if (records.length === 0) return;
    requireBound(folder, storeId);
    const day = new Date(dayMs).toISOString().slice(0, "yyyy-mm-dd".length);
    const newest = daysOf(folder).at(-1)?.day ?? day;
    const path = linesPath(folder, newest > day ? newest : day);
    try {
      probe("before-archive-write");
      append(path, Buffer.from(records.map(lineOf).join("")), probe);
      if (named !== path) syncFolder(folder);
      named = path;
      probe("after-archive-write");
    } catch (cause) {
      throw archiveError(path, "cannot be written", cause);
    }
  };
}

/** Adds bytes after the last whole line. */
function append(path: string, bytes: Buffer, probe: Probe): void {
  const file = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(file);
    const whole = wholeLines(file, size);
    if (whole < size) ftruncateSync(file, whole);
    for (let written = 0; written < bytes.length; probe("during-archive-write"))
      written += writeSync(file, bytes, written, Math.min(BLOCK, bytes.length - written));
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * How to compress: `alone` runs a change while no other process writes, or throws; `goesOn` returns false to stop; `probe`
 * is called at the named points.
 */
type ClosingWork = Readonly<{
  alone: Alone;
  goesOn: () => boolean;
  probe?: Probe;
}>;

/**
 * Compresses the files of all days before the newest one, one after the other, without blocking the thread. Each is
 * written under another name, read back, and only then put in place of its lines, in one step that checks that nothing
 * was added meanwhile. A crash at any time leaves the lines, the compressed file, or both. The lines of a day that cannot
 * be compressed stay without a part of a compressed file, which would take space on a full disk, and the later days are
 * compressed all the same. Rejects then with an Error that names the first one.
 */
export async function closeDays(folder: string, work: ClosingWork): Promise<void> {
  const problems: unknown[] = [];
  for (const each of daysOf(folder).slice(0, -1)) {
    if (!work.goesOn()) break;
    if (each.lines === undefined) continue;
    await closeDay(folder, { ...each, lines: each.lines }, work).catch((error: unknown) =>
      problems.push(error),
    );
  }
  if (problems.length > 0) throw problems[0];
}

async function closeDay(
  folder: string,
  { lines, compressed }: ArchiveDay & Readonly<{ lines: string }>,
  { alone, goesOn, probe = unwatched }: ClosingWork,
): Promise<void> {
  const part = `${lines}.gz.part`;
  try {
    await alone(() => {
      for (const left of partsOf(folder)) rmSync(left, { force: true });
    });
    const { size, whole } = sizesOf(lines);
    const before = compressed === undefined ? [] : [readCompressed(compressed)];
    const written = new Digest(goesOn);
    await compress(written.of([...before, readLines(lines, whole)]), part);
    const readBack = new Digest(goesOn);
    for await (const _ of readBack.of([readCompressed(part)]));
    if (written.stopped || readBack.stopped) return;
    if (String(readBack) !== String(written)) throw new Error("what was compressed cannot be read back");
    probe("before-archive-swap");
    await alone(() => {
      // A line that was added meanwhile must not be lost: the day is closed next time.
      if (statSync(lines).size !== size) return;
      renameSync(part, `${lines}.gz`);
      syncFolder(folder);
      probe("during-archive-swap");
      rmSync(lines);
      syncFolder(folder);
    });
  } catch (cause) {
    throw archiveError(lines, "cannot be compressed", cause);
  } finally {
    await removePart(part, alone);
  }
}

/** Removes a part that was not put in place, unless another process owns the archive now: then the part may be its own. */
async function removePart(part: string, alone: Alone): Promise<void> {
  if (!existsSync(part)) return;
  try {
    await alone(() => rmSync(part, { force: true }));
  } catch {
    // The next closing removes it.
  }
}

/** Number and checksum of lines that were read. Once stopped, it stays stopped, so that no part counts as the whole. */
class Digest {
  stopped = false;
  readonly #goesOn: () => boolean;
  #count = 0;
  #checksum = 0;

  constructor(goesOn: () => boolean) {
    this.#goesOn = goesOn;
  }

  /** Returns the lines in blocks. Throws for a damaged one. */
  async *of(sources: readonly AsyncGenerator<ArchivedLine>[]): AsyncGenerator<string> {
    let block = "";
    for (const source of sources) {
      for await (const { line, record, problem } of source) {
        if (record === undefined) throw new Error(`line ${line}: ${problem}`);
        const text = lineOf(record);
        this.#count++;
        this.#checksum = crc32(text, this.#checksum);
        block += text;
        if (block.length < BLOCK) continue;
        yield block;
        block = "";
        this.stopped ||= !this.#goesOn();
        if (this.stopped) return;
      }
    }
    yield block;
  }

  toString(): string {
    return `${this.#count} ${this.#checksum}`;
  }
}

/** Writes blocks to a new compressed file, and waits until it is on disk. */
async function compress(blocks: AsyncGenerator<string>, path: string): Promise<void> {
  // An old owner of the store may still be compressing: no two processes write the same file.
  const file = await open(path, "wx", 0o600);
  try {
    await pipeline(Readable.from(blocks), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await file.appendFile(chunk);
    });
    await file.sync();
  } finally {
    await file.close();
  }
}
