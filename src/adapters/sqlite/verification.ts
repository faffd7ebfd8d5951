import { resolve } from "node:path";
import { crc32 } from "node:zlib";
import {
  errorMessage,
  functionOption,
  nameOption,
  nextTurn,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wordOption,
} from "../../common/index.ts";
import type { Entry } from "../../ports/index.ts";
import { type VerifiedHead, verifiedHeads, verifyRows } from "../../store/internal.ts";
import { decodeRecord } from "../../wire/index.ts";
import { intactValue } from "../checksums/index.ts";
import { missingOf } from "./acknowledged.ts";
import { readArchive } from "./archive.ts";
import { type Database, DRIVER_NAMES, type SqliteDriverName } from "./database.ts";
import { atOneMoment, FileProblem } from "./file.ts";
import { keyOfCode } from "./keys.ts";
import { countsOf, lastPosition, requireEnd, sqliteStorage } from "./storage.ts";

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
  archive: optionalOption(nameOption),
  driver: optionalOption(wordOption(DRIVER_NAMES)),
  onProgress: optionalOption(functionOption("is told of the progress")),
});

/**
 * Reads every row of a store, and the archive of its journal, in short steps, while a process has the store open. Each
 * row must be readable, match its checksum and have the rows that it needs, each record must be where the index says, and all records of the journal must be there:
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
    await findings.readRows();
    await findings.readIndex();
    if (archive !== undefined) await findings.readArchive(resolve(archive));
    return findings.result();
  });
  return await verified.catch((cause: unknown) => {
    // It may lack so much that it is not even a store of this version.
    throw missing === undefined ? cause : Object.assign(new FileProblem(missing), { cause });
  });
}

type IndexRow = Readonly<{
  position: number;
  code: string;
  /** Where the index says that it is; null if it has no entry. */
  place: number | null;
}>;

type Place = Readonly<{ position: number; name: string }>;

const later = (a: Place, b: Place): Place => (b.position > a.position ? b : a);

class Findings {
  readonly #database: Database;
  readonly #options: SqliteVerifyOptions;
  readonly #texts: string[] = [];
  #heads: readonly VerifiedHead[] = [];
  readonly #seen: Map<number, SeenRecords> = new Map();
  #all = 0;
  #problems = 0;
  #stored = 0;
  #archived = 0;

  constructor(database: Database, options: SqliteVerifyOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Notes a problem that was found outside the tables, if there is one. */
  note(text: string | undefined): void {
    if (text !== undefined) this.#problem(text);
  }

  /** Reads every row. */
  async readRows(): Promise<void> {
    const reading = {
      storage: sqliteStorage(this.#database),
      valueIn: (entry: Entry) => intactValue(entry, "file"),
      problem: (text: string) => this.#problem(text),
    };
    this.#heads = await verifiedHeads(reading);
    const { position } = countsOf(this.#database).read();
    for (const { shard, sequence } of this.#heads) {
      // The smaller one: a damaged number must not make the notes of what was seen fill the memory.
      this.#seen.set(shard, new SeenRecords(Math.min(sequence, position)));
      this.#all += sequence;
    }
    await verifyRows({
      ...reading,
      record: ({ shard, sequence, text }) => {
        this.#note(text, `record ${sequence} of shard ${shard} in the store`);
        this.#stored++;
      },
      progress: () => this.#progress(),
    });
  }

  /** Compares the journal with its index. */
  async readIndex(): Promise<void> {
    this.#attempt(() => requireEnd(this.#database));
    const { position, indexed } = countsOf(this.#database).read();
    // A record that is stored below this position later would never be found.
    if (!(indexed <= position)) this.#problem("the index of the journal is ahead of the journal");
    const page = this.#database.prepare<[after: number, limit: number], IndexRow>(
      `SELECT journal.position, journal.code, place.position AS place
       FROM journal LEFT JOIN journal_index AS place ON place.code = journal.code
       WHERE journal.position > ? ORDER BY journal.position LIMIT ?`,
    );
    let entries = 0;
    for (let after = 0; ; await nextTurn()) {
      const rows = page.all(after, ROWS_PER_STEP);
      const last = rows.at(-1);
      if (last === undefined) break;
      for (const { position: at, code, place } of rows) {
        if (place === at) entries++;
        if (place !== (at <= indexed ? at : null))
          this.#problem(`the index of the journal is wrong about the row "${keyOfCode(code)}"`);
      }
      after = last.position;
    }
    const count = this.#database.prepare<[], number>("SELECT count(*) FROM journal_index").pluck();
    const more = (count.get() ?? 0) - entries;
    if (more > 0) this.#problem(`the index of the journal names ${more} records that are not stored`);
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
      if (line % ROWS_PER_STEP === 0) {
        this.#progress();
        await nextTurn();
      }
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
    for (const { shard, forgotten = 0 } of this.#heads) {
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

  /** Notes a record. Returns whether it was seen before. Throws if it cannot be read, or contradicts one that was seen. */
  #note(text: string, name: string): "first" | "again" {
    const { shard, sequence } = decodeRecord(text);
    const noted = this.#seen.get(shard)?.note(sequence, crc32(text)) ?? "other";
    if (noted === "other")
      throw new Error(
        `${name}: record ${sequence} of shard ${shard} is unknown or differs from another copy`,
      );
    return noted;
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#problem(errorMessage(error));
    }
  }

  #problem(text: string): void {
    this.#problems++;
    if (this.#texts.length < MOST_NAMED) this.#texts.push(text);
  }

  #progress(): void {
    this.#options.onProgress?.(Math.min(this.#all, this.#stored + this.#archived), this.#all);
  }
}

/** A run of missing records of a shard, both ends included. */
export interface MissingRecords {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
}

/** Notes which records of a shard were seen, with their checksums: about 4 bytes for each. */
class SeenRecords {
  readonly #checksums: Uint32Array;
  readonly #seen: Uint8Array;

  /** `last` is the sequence of the last record. */
  constructor(last: number) {
    this.#checksums = new Uint32Array(last + 1);
    this.#seen = new Uint8Array((last >>> 3) + 1);
  }

  /**
   * Notes a record. `again`: it was seen with the same checksum. `other`: it was seen with another one, or is beyond the
   * last record.
   */
  note(sequence: number, checksum: number): "first" | "again" | "other" {
    if (sequence < 1 || sequence >= this.#checksums.length) return "other";
    if (this.#has(sequence)) return this.#checksums[sequence] === checksum ? "again" : "other";
    this.#seen[sequence >>> 3] = (this.#seen[sequence >>> 3] ?? 0) | (1 << (sequence & 7));
    this.#checksums[sequence] = checksum;
    return "first";
  }

  /** Yields the runs of records from `from` on that were not seen. */
  *missing(from: number): Generator<Readonly<{ from: number; to: number }>> {
    let start = 0;
    for (let sequence = Math.max(1, from); sequence <= this.#checksums.length; sequence++) {
      const isMissing = sequence < this.#checksums.length && !this.#has(sequence);
      if (isMissing && start === 0) start = sequence;
      if (isMissing || start === 0) continue;
      yield { from: start, to: sequence - 1 };
      start = 0;
    }
  }

  #has(sequence: number): boolean {
    return ((this.#seen[sequence >>> 3] ?? 0) & (1 << (sequence & 7))) !== 0;
  }
}
