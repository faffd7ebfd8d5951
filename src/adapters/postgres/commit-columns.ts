import type { CommitPart, Condition } from "../../ports/index.ts";
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
class CommitRows {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #checks: boolean[] = [];
  readonly #expected: (string | null)[] = [];
  readonly #puts: boolean[] = [];
  readonly #values: (string | null)[] = [];
  readonly #deletes: boolean[] = [];

  add(part: number, key: string, { checks, expected, value, deletes = false }: Given): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#checks.push(checks);
    this.#expected.push(expected ?? null);
    this.#puts.push(value !== undefined);
    this.#values.push(value ?? null);
    this.#deletes.push(deletes);
  }

  get sent(): readonly Buffer[] {
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      ...[binaryArray("bool", this.#checks), binaryArray("text", this.#expected)],
      ...[binaryArray("bool", this.#puts), binaryArray("text", this.#values)],
      binaryArray("bool", this.#deletes),
    ];
  }
}

/** Keys with one text each: of entries that are written if their key is not there, or what they must have. */
class Texts {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #texts: string[] = [];

  add(part: number, key: string, text: string): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#texts.push(text);
  }

  get sent(): readonly Buffer[] {
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      binaryArray("text", this.#texts),
    ];
  }
}

/** Returns the form of a commit that costs least. */
export const sentCommit = (parts: readonly CommitPart[]): SentCommit =>
  recordsCommit(parts) ?? plainCommit(parts) ?? wholeCommit(parts);

/** Returns a commit that writes nothing but new records, as most do; undefined for another one. */
function recordsCommit(parts: readonly CommitPart[]): SentCommit | undefined {
  const [required, records] = [new Texts(), new Texts()];
  for (let part = 0; part < parts.length; part++) {
    const { conditions, puts, deletes } = parts[part] as CommitPart;
    if (deletes.length > 0) return undefined;
    for (const [key, value] of puts) {
      if (tableOf(key) !== "log") return undefined;
      records.add(part, key, value);
    }
    for (const [key, expected] of conditions) {
      if (expected === undefined ? !puts.some((put) => put[0] === key) : tableOf(key) === "log")
        return undefined;
      if (expected !== undefined) required.add(part, key, expected);
    }
  }
  return { text: COMMIT.records, values: [...required.sent, ...records.sent] };
}

/** Returns a commit that deletes nothing, and in which what must be absent is written by its own part. */
function plainCommit(parts: readonly CommitPart[]): SentCommit | undefined {
  const columns = { rows: new CommitRows(), fresh: new Texts(), records: new Texts() };
  const { rows, fresh, records } = columns;
  for (const [number, part] of parts.entries()) if (!addPlain(columns, number, part)) return undefined;
  return { text: COMMIT.plain, values: [...rows.sent, ...fresh.sent, ...records.sent] };
}

/** Adds a part. Returns false for one that needs the whole form. */
function addPlain(
  { rows, fresh, records }: Readonly<{ rows: CommitRows; fresh: Texts; records: Texts }>,
  number: number,
  { conditions, puts, deletes }: CommitPart,
): boolean {
  if (deletes.length > 0) return false;
  const rest = new Map<string, Condition[1]>(conditions);
  for (const [key, value] of puts) {
    const expected = rest.get(key);
    const checks = rest.delete(key);
    if (tableOf(key) === "entry" && (!checks || expected !== undefined))
      rows.add(number, key, { expected, value, checks });
    else if (expected !== undefined) return false;
    else (tableOf(key) === "log" ? records : fresh).add(number, key, value);
  }
  for (const [key, expected] of rest) {
    if (expected === undefined || tableOf(key) === "log") return false;
    rows.add(number, key, { expected, checks: true });
  }
  return true;
}

/** Returns a commit in the form that knows everything. */
export function wholeCommit(parts: readonly CommitPart[]): SentCommit {
  const rows: Readonly<Record<StorageTable, CommitRows>> = { entry: new CommitRows(), log: new CommitRows() };
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
