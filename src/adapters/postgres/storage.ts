import { errorMessage } from "../../common/index.ts";
import { QuietTelemetry } from "../../host-answers/index.ts";
import type {
  CommitPart,
  Entry,
  KeyRange,
  ShardLeases,
  Storage,
  StorageTime,
  Telemetry,
} from "../../ports/index.ts";
import { afterMs } from "../../store/internal.ts";
import {
  binaryArray,
  CLOCK_MS,
  GET,
  JOURNAL_KEYS,
  type RangeGroup,
  rangeStatement,
  type SentCommit,
  type StorageTable,
  SWEEP,
  sentCommit,
  tableOf,
  wholeCommit,
} from "./commit.ts";
import { type Row, textIn, wholeIn } from "./connection.ts";
import type { Database } from "./database.ts";
import { sqlState } from "./postgres-error.ts";

/** How often a commit is sent that others overtake. */
const ATTEMPTS = 10;

/** Bytes of values that one `range` answers, besides the first entry of each range. */
const RANGE_BYTES = 4 * 1_024 * 1_024;

/** What the server says when a key has appeared beside a commit: the division in its statement, and an equal key. */
const APPEARED = ["22012", "23505"];

/** `elsewhere`: whether the server is another machine. */
type Surroundings = Readonly<{
  answerTimeoutMs: number;
  elsewhere: boolean;
  telemetry?: Telemetry | undefined;
}>;

/** A storage on a database whose schema is there. A commit is one statement in one round trip. */
export class PostgresStorage implements Storage {
  readonly patience: Patience;
  readonly #database: Database;
  readonly #elsewhere: boolean;
  readonly #telemetry: QuietTelemetry;
  readonly #pending: PendingCommits;

  constructor(database: Database, { answerTimeoutMs, elsewhere, telemetry }: Surroundings) {
    this.#database = database;
    this.#elsewhere = elsewhere;
    this.patience = new Patience(answerTimeoutMs);
    this.#telemetry = new QuietTelemetry(telemetry);
    this.#pending = new PendingCommits(answerTimeoutMs);
  }

  /** Writes parts. What others have overtaken is sent again, in the form that can tell what has become of its keys. */
  async commit(parts: readonly CommitPart[]): Promise<readonly boolean[]> {
    if (parts.length === 0) return [];
    const pending = this.#pending.begin(parts);
    const { cutter } = pending;
    const ownMs = this.patience.ofCommit(parts);
    const limitMs = ownMs === "for ever" ? pending.limitMs : Math.min(ownMs, pending.limitMs ?? ownMs);
    const send = ({ text, values, isRare = false }: SentCommit): Promise<readonly Row[]> =>
      this.#database.append(text, values, cutter, { limitMs, isRare });
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#outcomes(
            parts,
            await send(attempt === 1 ? sentCommit(parts) : wholeCommit(parts)),
          );
        } catch (error) {
          const state = sqlState((error as Error).cause);
          if (attempt === ATTEMPTS || state === undefined || !APPEARED.includes(state)) throw error;
        }
      }
    } finally {
      pending.end();
    }
  }

  async get(keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    if (keys.length === 0) return [];
    const tables = [...new Set(keys.map(tableOf))];
    const text = tables.map((table) => GET[table]).join(" UNION ALL ");
    const limitMs = this.patience.ofRead(keys);
    const rows = await this.#database.read(text, [binaryArray("text", keys)], "first", limitMs);
    const values = new Map(rows.map((row) => [row[0], row[1] ?? undefined]));
    return keys.map((key) => values.get(key));
  }

  async range(ranges: readonly KeyRange[]): Promise<readonly (readonly Entry[])[]> {
    const pieces = ranges.flatMap(piecesOf);
    if (pieces.length === 0) return ranges.map(() => []);
    const groups = [...groupsOf(pieces).values()];
    const bytes = Math.ceil(RANGE_BYTES / pieces.length);
    const values = [bytes, ...groups.flatMap(({ members }) => columnsOf(members))];
    // Ends of journals are asked for by what must not wait for reads of an engine.
    const lane = ranges.every(({ limit }) => limit === 1) ? "first" : "other";
    const limitMs = this.patience.ofRead("range");
    const found = pagesIn(await this.#database.read(rangeStatement(groups), values, lane, limitMs));
    return ranges.map((range) => joined(range, pieces, found));
  }

  async clock(): Promise<StorageTime> {
    const limitMs = this.patience.ofRead("clock");
    const [row] = await this.#database.read(`SELECT ${CLOCK_MS}`, [], "first", limitMs);
    return { nowMs: wholeIn(row, 0), ...(this.#elsewhere && { elsewhere: true }) };
  }

  async close(): Promise<void> {
    this.#pending.close();
    await this.#database.close();
  }

  /** Reads an answer: the parts that were left out, and keys whose rows without a value are needed no more. */
  async #outcomes(parts: readonly CommitPart[], rows: readonly Row[]): Promise<readonly boolean[]> {
    const failed = new Set<number>();
    const keys: string[] = [];
    for (const row of rows) {
      const key = row[1] ?? undefined;
      if (key === undefined) failed.add(wholeIn(row, 0));
      else keys.push(key);
    }
    if (keys.length > 0) await this.#sweep(keys);
    return parts.map((_, part) => !failed.has(part));
  }

  /** A row that stays because this fails is no entry, and is deleted or filled by the next commit of its key. */
  async #sweep(keys: readonly string[]): Promise<void> {
    try {
      await this.#database.write(SWEEP, [binaryArray("text", keys)], "first");
    } catch (error) {
      this.#telemetry.event("warn", "keys.kept", { message: errorMessage(error) });
    }
  }
}

/** The piece of a range that lies in one table. */
type Piece = KeyRange & Readonly<{ range: KeyRange; table: StorageTable }>;

/** Returns the pieces of a range, in its order: before, in and after the journal. */
function piecesOf(range: KeyRange): readonly Piece[] {
  const [first, end] = JOURNAL_KEYS;
  const { from, before } = range;
  const pieces: readonly Piece[] = [
    { ...range, range, table: "entry", before: lesser(before, first) },
    { ...range, range, table: "log", from: greater(from, first), before: lesser(before, end) },
    { ...range, range, table: "entry", from: greater(from, end) },
  ];
  const own = pieces.filter((piece) => piece.from < piece.before);
  return range.reverse === true ? own.reverse() : own;
}

const lesser = (a: string, b: string): string => (a < b ? a : b);
const greater = (a: string, b: string): string => (a > b ? a : b);

/** Pieces that one part of the statement reads, by their place among all. */
type Group = RangeGroup & Readonly<{ members: Map<number, Piece> }>;

function groupsOf(pieces: readonly Piece[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const [place, piece] of pieces.entries()) {
    const { table, reverse = false } = piece;
    const name = `${table} ${reverse}`;
    const group = groups.get(name) ?? { table, reverse, members: new Map<number, Piece>() };
    group.members.set(place, piece);
    groups.set(name, group);
  }
  return groups;
}

/** Returns the parameters of a group. */
function columnsOf(members: Group["members"]): readonly unknown[] {
  const pieces = [...members.values()];
  const limits = pieces.map(({ limit }) => limit);
  return [
    binaryArray("int4", [...members.keys()]),
    binaryArray(
      "text",
      pieces.map(({ from }) => from),
    ),
    binaryArray(
      "text",
      pieces.map(({ before }) => before),
    ),
    binaryArray("int8", limits),
    limits.reduce((most, limit) => Math.max(most, limit), 0),
  ];
}

/** What was read of a piece, and how many entries it has up to its limit. */
type Page = { readonly entries: Entry[]; count: number };

function pagesIn(rows: readonly Row[]): ReadonlyMap<number, Page> {
  const pages = new Map<number, Page>();
  for (const row of rows) {
    const place = wholeIn(row, 0);
    const page = pages.get(place) ?? { entries: [], count: wholeIn(row, 3) };
    page.entries.push([textIn(row, 1), textIn(row, 2)]);
    pages.set(place, page);
  }
  return pages;
}

/** Returns the entries of a range: those of its pieces up to its limit, or to the first piece that was not read whole. */
function joined(
  range: KeyRange,
  pieces: readonly Piece[],
  pages: ReadonlyMap<number, Page>,
): readonly Entry[] {
  const entries: Entry[] = [];
  const sign = range.reverse === true ? -1 : 1;
  for (const [place, piece] of pieces.entries()) {
    const page = piece.range === range ? pages.get(place) : undefined;
    if (page === undefined) continue;
    page.entries.sort(([a], [b]) => (a < b ? -sign : sign));
    for (const entry of page.entries) if (entries.length < range.limit) entries.push(entry);
    if (page.entries.length < Math.min(page.count, range.limit)) break;
  }
  return entries;
}

/** A commit that has no answer yet. */
type PendingCommit = Readonly<{
  /** How long its answer is waited for: for ever, unless it follows another one that hangs. */
  limitMs: number | undefined;
  /** Tells how its connection is cut. */
  cutter: (cut: () => void) => void;
  /** Notes that it was answered. */
  end: () => void;
}>;

type Unanswered = { readonly parts: readonly CommitPart[]; cut: () => void };

/**
 * Commits under way. One is never given up from here: a server may wait for its standby for a long time. Only a later commit
 * that changes what the earlier one relies on says that its answer matters no more, such as a fence: the earlier connection
 * is cut after a while, and the later commit, which may have met the same dead network, is itself given up after that time.
 */
export class PendingCommits {
  readonly #patienceMs: number;
  readonly #all: Set<Unanswered> = new Set();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  begin(parts: readonly CommitPart[]): PendingCommit {
    const overtaken = this.#overtakenBy(parts);
    for (const earlier of overtaken) this.#cutLater(earlier);
    const entry: Unanswered = { parts, cut: () => undefined };
    this.#all.add(entry);
    return {
      limitMs: overtaken.length > 0 ? this.#patienceMs : undefined,
      cutter: (cut) => {
        entry.cut = cut;
      },
      end: () => {
        this.#all.delete(entry);
      },
    };
  }

  /** Cuts every commit that has no answer after a while. */
  close(): void {
    for (const entry of this.#all) this.#cutLater(entry);
  }

  #overtakenBy(parts: readonly CommitPart[]): readonly Unanswered[] {
    if (this.#all.size === 0) return [];
    const changed = new Set<string>();
    // Nobody else writes a record that a part adds, unless its head was changed first.
    const note = (key: string): void => {
      if (tableOf(key) !== "log") changed.add(key);
    };
    for (const { puts, deletes } of parts) {
      for (const [key] of puts) note(key);
      for (const key of deletes) note(key);
    }
    if (changed.size === 0) return [];
    return [...this.#all].filter((earlier) =>
      earlier.parts.some(({ conditions }) => conditions.some(([key]) => changed.has(key))),
    );
  }

  #cutLater(entry: Unanswered): void {
    afterMs(this.#patienceMs, () => {
      if (this.#all.has(entry)) entry.cut();
    });
  }
}

/**
 * How long a store waits for its server. An append is never given up: a server may wait for its standby for a long time,
 * and only a fence decides. All else is, after `answerTimeoutMs`; and from `join` on, what is asked with each beat after a
 * ttl: a node whose renewal comes later has lost its shards.
 */
class Patience {
  readonly #answerTimeoutMs: number;
  #ttlMs: number | undefined;
  /** Number of questions about heads, records and prints that are under way. */
  #requested = 0;

  constructor(answerTimeoutMs: number) {
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  /** Returns the milliseconds for which a commit is waited for; "for ever": until its connection breaks or a later commit decides. */
  ofCommit(parts: readonly CommitPart[]): number | "for ever" {
    if (parts.some(isAppend)) return "for ever";
    return (parts.every(isAboutNodes) ? this.#ttlMs : undefined) ?? this.#answerTimeoutMs;
  }

  /** Undefined is the `answerTimeoutMs` of the pool. */
  ofRead(what: readonly string[] | "range" | "clock"): number | undefined {
    const isRequested = what === "clock" || this.#requested > 0 || (what !== "range" && what.includes(NODES));
    return isRequested ? this.#ttlMs : undefined;
  }

  /** Returns leases whose questions are given up after a ttl. */
  leases(leases: ShardLeases | undefined): ShardLeases {
    if (leases === undefined) throw new Error("a storage with a clock has leases");
    const soon = async <T>(query: () => Promise<T>): Promise<T> => {
      this.#requested++;
      try {
        return await query();
      } finally {
        this.#requested--;
      }
    };
    return {
      ...leases,
      join: async (entry) => {
        const joined = await leases.join(entry);
        this.#ttlMs = Math.min(entry.ttlMs, this.#answerTimeoutMs);
        return joined;
      },
      heads: () => soon(() => leases.heads()),
      tail: (range) => soon(() => leases.tail(range)),
      prints: (range) => soon(() => leases.prints(range)),
    };
  }
}

/** Whether a part relies on heads and changes neither heads nor owners. */
function isAppend({ conditions, puts }: CommitPart): boolean {
  const isOfOwners = (key: string): boolean => isHead(key) || key === NODES;
  return conditions.some(([key]) => isHead(key)) && !puts.some(([key]) => isOfOwners(key));
}

const isHead = (key: string): boolean => key.startsWith("head ");

const NODES = "cluster";

const isAboutNodes = ({ conditions }: CommitPart): boolean =>
  conditions.length > 0 && conditions.every(([key]) => key === NODES);
