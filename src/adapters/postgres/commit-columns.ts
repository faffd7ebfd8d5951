import type { CommitPart, Condition, Entry } from "../../ports/index.ts";
import { finder } from "../shared/index.ts";
import { binaryArray } from "./binary-arrays.ts";
import { COMMIT, JOURNAL_KEYS, type StorageTable } from "./storage-statements.ts";

/** A commit as it is sent: a statement and its columns. One in the whole form is rare. */
export type SentCommit = Readonly<{ text: string; values: readonly Buffer[]; isRare?: boolean }>;

/** Returns the table that has a key. */
export const tableOf = (key: string): StorageTable => (key.startsWith(JOURNAL_KEYS[0]) ? "log" : "entry");

/** What is sent of a key: what it must have (null is nothing), and what becomes of it. */
type Given = Readonly<{
  checks: boolean;
  expected?: string | undefined;
  value?: string | undefined;
  deletes?: boolean;
}>;

/** Rows of a commit, in columns. */
class Rows {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #checks: boolean[] = [];
  readonly #expected: (string | null)[] = [];
  readonly #puts: boolean[] = [];
  readonly #values: (string | null)[] = [];
  readonly #deletes: boolean[] = [];
  /** Whether nothing is written: every row is a condition. */
  onlyChecks = true;

  add(part: number, key: string, { checks, expected, value, deletes = false }: Given): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#checks.push(checks);
    this.#expected.push(expected ?? null);
    this.#puts.push(value !== undefined);
    this.#values.push(value ?? null);
    this.#deletes.push(deletes);
    if (!checks || value !== undefined || deletes) this.onlyChecks = false;
  }

  get conditions(): readonly Buffer[] {
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      binaryArray("text", this.#expected),
    ];
  }

  get sent(): readonly Buffer[] {
    const [parts, keys, expected] = this.conditions as readonly [Buffer, Buffer, Buffer];
    return [
      ...[parts, keys, binaryArray("bool", this.#checks), expected, binaryArray("bool", this.#puts)],
      ...[binaryArray("text", this.#values), binaryArray("bool", this.#deletes)],
    ];
  }
}

/** Entries that are written if their key is not there. */
class NewEntries {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #values: string[] = [];

  add(part: number, [key, value]: Entry): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#values.push(value);
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  get sent(): readonly Buffer[] {
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      binaryArray("text", this.#values),
    ];
  }
}

/**
 * Returns the most frequent form of a commit if it has it: nothing is deleted, and what must be absent is written by its own
 * part, as every record of the journal is. The whole form knows everything.
 */
export function sentCommit(parts: readonly CommitPart[]): SentCommit {
  const columns = { rows: new Rows(), fresh: new NewEntries(), records: new NewEntries() };
  for (const [number, part] of parts.entries())
    if (!addPlain(columns, number, part)) return wholeCommit(parts);
  const { rows, fresh, records } = columns;
  if (rows.onlyChecks && fresh.isEmpty)
    return { text: COMMIT.records, values: [...rows.conditions, ...records.sent] };
  return { text: COMMIT.plain, values: [...rows.sent, ...fresh.sent, ...records.sent] };
}

type PlainColumns = Readonly<{ rows: Rows; fresh: NewEntries; records: NewEntries }>;

/** Adds a part. Returns false for one that needs the whole form. */
function addPlain(
  { rows, fresh, records }: PlainColumns,
  number: number,
  { conditions, puts, deletes }: CommitPart,
): boolean {
  if (deletes.length > 0) return false;
  const conditionOf = finder(conditions);
  for (const entry of puts) {
    const [key, value] = entry;
    const condition = conditionOf(key);
    if (tableOf(key) === "log") records.add(number, entry);
    else if (condition !== undefined && condition[1] === undefined) fresh.add(number, entry);
    else rows.add(number, key, { expected: condition?.[1], value, checks: condition !== undefined });
  }
  const putOf = finder(puts);
  for (const [key, expected] of conditions) {
    const isPut = putOf(key) !== undefined;
    if (expected === undefined ? !isPut : tableOf(key) === "log") return false;
    if (!isPut) rows.add(number, key, { expected, checks: true });
  }
  return true;
}

/** Returns a commit in the form that knows everything. */
export function wholeCommit(parts: readonly CommitPart[]): SentCommit {
  const rows: Readonly<Record<StorageTable, Rows>> = { entry: new Rows(), log: new Rows() };
  for (const [number, { conditions, puts, deletes }] of parts.entries()) {
    const rest = new Map<string, Condition[1]>(conditions);
    const add = (key: string, given: Readonly<{ value?: string; deletes?: boolean }>): void => {
      const expected = rest.get(key);
      rows[tableOf(key)].add(number, key, { ...given, expected, checks: rest.delete(key) });
    };
    for (const [key, value] of puts) add(key, { value });
    for (const key of deletes) add(key, { deletes: true });
    for (const key of [...rest.keys()]) add(key, {});
  }
  return { text: COMMIT.whole, isRare: true, values: [...rows.entry.sent, ...rows.log.sent] };
}
