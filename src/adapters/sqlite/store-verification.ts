import { resolve } from "node:path";
import { crc32 } from "node:zlib";
import {
  errorMessage,
  functionOption,
  nameOption,
  type OptionCheck,
  optional,
  optionsOf,
  wordOption,
} from "../../common/index.ts";
import { decodeRecord } from "../../wire/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import { nextTurn } from "../shared/index.ts";
import { missingOf } from "./acknowledged.ts";
import { readArchive } from "./archive/index.ts";
import type { Database, SqliteDriverName } from "./database.ts";
import { DRIVER_NAMES } from "./driver.ts";
import type { EndedTable } from "./ended-table.ts";
import { FileProblem } from "./file-problem.ts";
import { idPages } from "./id-pages.ts";
import { atOneMoment } from "./reading.ts";
import { lastPosition } from "./restore/index.ts";
import { type MissingRecords, SeenRecords } from "./seen-records.ts";
import { tablesOf } from "./tables-of.ts";
import { type Structure, structureOf } from "./verified-structure.ts";

/** What to verify: a store, the archive of its journal, and who is told of the progress. */
export interface SqliteVerifyOptions {
  readonly path: string;
  /** Directory of the archive. With it, no record may be missing; without it, those that the store has forgotten may. */
  readonly archive?: string;
  readonly driver?: SqliteDriverName | undefined;
  /** Called after some thousand records with the number of records read so far, and of all in the journal. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Result of a verification. */
export interface SqliteVerification {
  /** True if nothing is missing and there is no problem. */
  readonly whole: boolean;
  /** Number of records since the journal began. */
  readonly records: number;
  /** Number of these in the store. */
  readonly stored: number;
  /** Number of these that are only in the archive. */
  readonly archived: number;
  /** Number of missing records, and the first hundred runs of them. */
  readonly missing: number;
  readonly missingRecords: readonly MissingRecords[];
  /** Number of damaged, unknown or contradictory rows and lines, and a text about each of the first hundred. */
  readonly problems: number;
  readonly problemTexts: readonly string[];
}

/** Number of rows that one step reads, which takes some milliseconds. */
const ROWS_PER_STEP = 512;

/** Number of missing runs and of problems that a result names. */
const MOST_NAMED = 100;

const verifyOption: OptionCheck = optionsOf<SqliteVerifyOptions>({
  path: nameOption,
  archive: optional(nameOption),
  driver: optional(wordOption(DRIVER_NAMES)),
  onProgress: optional(functionOption("is told of the progress")),
});

/**
 * Reads every row of a store, and the archive of its journal, in short steps, while a process has the store open. Each
 * record must be readable, match its checksum and be where the index says, and all records of the journal must be there:
 * in the store, or in the archive, and as many as were acknowledged. Whether the records produce the current state is checked by `engine.verify()`. Takes
 * about 4 bytes of memory for each record of the journal. Rejects with an Error that names the file if it is not a store
 * of this version, or the archive if it cannot be read, and with a TypeError or RangeError that names an option that is
 * missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { openSqliteStore, verifySqliteStore } from "managed-orders/sqlite";
 * await openSqliteStore({ path: "./data/orders.db" }).close();
 * const { whole, records } = await verifySqliteStore({ path: "./data/orders.db" });
 * console.log(whole, records); // true 0
 * ```
 */
export async function verifySqliteStore(options: SqliteVerifyOptions): Promise<SqliteVerification> {
  verifyOption(options, "verifySqliteStore");
  const { driver, archive } = options;
  const path = resolve(options.path);
  const missing = missingOf({ path, driver });
  const verified = atOneMoment({ path, driver }, async (database) => {
    const findings = new Findings(database, options);
    findings.note(missing);
    // The store first: a record that is archived meanwhile has been seen here.
    await findings.readJournal();
    await findings.readTables();
    if (archive !== undefined) await findings.readArchive(resolve(archive));
    return findings.result();
  });
  return await verified.catch((cause: unknown) => {
    // It may lack so much that it is not even a store of this version.
    throw missing === undefined ? cause : Object.assign(new FileProblem(missing), { cause });
  });
}

type JournalRow = Readonly<{
  position: number;
  shard: number;
  sequence: number;
  record: string;
  checksum: number;
  /** Where the index says that it is; null if it has no entry. */
  place: number | null;
}>;

type Place = Readonly<{ position: number; name: string }>;

const later = (a: Place, b: Place): Place => (b.position > a.position ? b : a);

class Findings {
  readonly #database: Database;
  readonly #options: SqliteVerifyOptions;
  readonly #structure: Structure;
  readonly #seen: ReadonlyMap<number, SeenRecords>;
  readonly #texts: string[] = [];
  readonly #all: number;
  #problems = 0;
  #stored = 0;
  #archived = 0;

  constructor(database: Database, options: SqliteVerifyOptions) {
    this.#database = database;
    this.#options = options;
    this.#structure = structureOf(database);
    const { heads, lastOf } = this.#structure;
    // The smaller one: a damaged number must not make the notes of what was seen fill the memory.
    this.#seen = new Map(
      heads.map(({ shard, sequence }) => [shard, new SeenRecords(Math.min(sequence, lastOf(shard)))]),
    );
    this.#all = heads.reduce((sum, { sequence }) => sum + sequence, 0);
    for (const text of this.#structure.problems()) this.#problem(text);
  }

  /** Notes a problem that was found outside the tables, if there is one. */
  note(text: string | undefined): void {
    if (text !== undefined) this.#problem(text);
  }

  /** Reads every record, and its place in the index. */
  async readJournal(): Promise<void> {
    const page = this.#database.prepare<[after: number, limit: number], JournalRow>(
      `SELECT journal.position, journal.shard, journal.sequence, record, checksum, place.position AS place
       FROM journal LEFT JOIN journal_index AS place
         ON place.shard = journal.shard AND place.sequence = journal.sequence
       WHERE journal.position > ? ORDER BY journal.position LIMIT ?`,
    );
    const entries = new Map<number, number>();
    for (let after = 0; ; ) {
      const rows = page.all(after, ROWS_PER_STEP);
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const row of rows) {
        this.#attempt(() => this.#readRow(row));
        if (row.place !== null) entries.set(row.shard, (entries.get(row.shard) ?? 0) + 1);
      }
      after = last.position;
      await this.#progress();
    }
    for (const { shard } of this.#structure.heads) {
      const more = this.#structure.entriesOf(shard) - (entries.get(shard) ?? 0);
      if (more > 0) this.#problem(`the index of shard ${shard} names ${more} records that are not stored`);
      await nextTurn();
    }
  }

  #readRow({ position, shard, sequence, record, checksum, place }: JournalRow): void {
    const name = `record ${sequence} of shard ${shard}`;
    requireIntact(checksum, checksumOf([shard, sequence], record), () => `journal ${name}`);
    this.#note(record, `${name} in the store`, { shard, sequence });
    this.#stored++;
    const wanted = position <= this.#structure.indexed ? position : null;
    if (place !== wanted) throw new Error(`${name} in the store: the index of the journal is wrong about it`);
  }

  /** Reads every other table with checksums. */
  async readTables(): Promise<void> {
    const { ended, endedLists, snapshots, marks, quotes, volume } = tablesOf(this.#database);
    const counts = new Map(this.#structure.counts().map(({ accountId, rows }) => [accountId, rows]));
    let isWhole = true;
    for (const { shard } of this.#structure.heads) {
      await this.#steps(snapshots.read(shard));
      isWhole = (await this.#readEnded(ended, { shard, counts })) && isWhole;
    }
    for (const [accountId, left] of isWhole ? counts : [])
      if (left !== 0) this.#problem(`the number of ended orders of account ${accountId} is wrong by ${left}`);
    for await (const ids of idPages(endedLists.ids))
      for (const id of ids) this.#attempt(() => endedLists.row(id));
    this.#attempt(marks.read);
    this.#attempt(quotes.read);
    await this.#steps(volume.read());
  }

  /** Subtracts the ended orders of a shard from the numbers by account. Returns whether all rows could be read. */
  async #readEnded(
    ended: EndedTable,
    { shard, counts }: Readonly<{ shard: number; counts: Map<number, number> }>,
  ): Promise<boolean> {
    let isWhole = true;
    const page = (after: number, limit: number): readonly number[] => ended.ids(shard, after, limit);
    for await (const ids of idPages(page)) {
      for (const id of ids) {
        // One at a time: a row that is damaged does not keep the others from being read.
        const row = this.#attempt(() => ended.row(id));
        isWhole &&= row !== undefined;
        if (row !== undefined) counts.set(row.accountId, (counts.get(row.accountId) ?? 0) - 1);
      }
    }
    return isWhole;
  }

  /** Reads the archive, and ends the moment at which the store was read. */
  async readArchive(folder: string): Promise<void> {
    const end = lastPosition(this.#database);
    let latest = { position: end, name: "" };
    for await (const { file, line, record, problem } of readArchive(folder)) {
      const name = `${file}, line ${line}`;
      if (record === undefined) this.#problem(`${name}: ${problem}`);
      else if (record.position > end) latest = later(latest, { position: record.position, name });
      else
        this.#attempt(() => {
          if (this.#note(record.text, name) === "first") this.#archived++;
        });
      if (line % ROWS_PER_STEP === 0) await this.#progress();
    }
    // A record that came after the moment can have left meanwhile. Then the journal has gone on at least as far.
    this.#database.exec("COMMIT");
    const last = lastPosition(this.#database);
    if (latest.position > last)
      this.#problem(
        `${latest.name}: the archive goes on to the journal position ${latest.position}, and the journal ends at ${last}`,
      );
  }

  result(): SqliteVerification {
    const missingRecords: MissingRecords[] = [];
    let missing = 0;
    for (const { shard, forgotten } of this.#structure.heads) {
      const from = this.#options.archive === undefined ? forgotten + 1 : 1;
      for (const run of this.#seen.get(shard)?.missing(from) ?? []) {
        missing += run.to - run.from + 1;
        if (missingRecords.length < MOST_NAMED) missingRecords.push({ shard, ...run });
      }
    }
    return {
      whole: missing === 0 && this.#problems === 0,
      records: this.#all,
      stored: this.#stored,
      archived: this.#archived,
      missing,
      missingRecords,
      problems: this.#problems,
      problemTexts: this.#texts,
    };
  }

  /**
   * Notes a record at a place. Returns whether it was seen before. Throws if it cannot be read, or contradicts one that
   * was seen.
   */
  #note(
    text: string,
    name: string,
    place?: Readonly<{ shard: number; sequence: number }>,
  ): "first" | "again" {
    const { shard, sequence } = decodeRecord(text, place);
    const noted = this.#seen.get(shard)?.note(sequence, crc32(text)) ?? "other";
    if (noted === "other")
      throw new Error(
        `${name}: record ${sequence} of shard ${shard} is unknown or differs from another copy`,
      );
    if (noted === "again" && place !== undefined) throw new Error(`${name}: it is stored twice`);
    return noted;
  }

  #attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#problem(errorMessage(error));
      return undefined;
    }
  }

  async #steps(steps: Generator<void, unknown>): Promise<void> {
    while (this.#attempt(() => steps.next())?.done === false) await nextTurn();
  }

  #problem(text: string): void {
    this.#problems++;
    if (this.#texts.length < MOST_NAMED) this.#texts.push(text);
  }

  async #progress(): Promise<void> {
    this.#options.onProgress?.(Math.min(this.#all, this.#stored + this.#archived), this.#all);
    await nextTurn();
  }
}
