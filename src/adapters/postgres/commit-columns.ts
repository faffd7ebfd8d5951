import type { CommitPart, Condition, Entry } from "../../ports/index.ts";
import { binaryArray } from "./binary-arrays.ts";
import { COMMIT, JOURNAL_KEYS, type StorageTable } from "./storage-statements.ts";

/** A commit as it is sent: a statement and its columns. One in the whole form is rare. */
export type SentCommit = Readonly<{ text: string; values: readonly Buffer[]; isRare?: boolean }>;

/** Returns the table that has a key. */
export const tableOf = (key: string): StorageTable => (key.startsWith(JOURNAL_KEYS[0]) ? "log" : "entry");

/** A key of a commit: what it must have (null is nothing), and what becomes of it. */
type Row = {
  checks: boolean;
  expected: string | null;
  puts: boolean;
  value: string | null;
  deletes: boolean;
};

/** Rows of a commit, in columns. */
class Rows {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #rows: Row[] = [];

  add(part: number, key: string, row: Row): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#rows.push(row);
  }

  get sent(): readonly Buffer[] {
    const column = <Name extends keyof Row>(type: "bool" | "text", name: Name): Buffer =>
      binaryArray(
        type,
        this.#rows.map((row) => row[name]),
      );
    return [
      ...[binaryArray("int4", this.#parts), binaryArray("text", this.#keys)],
      ...[column("bool", "checks"), column("text", "expected"), column("bool", "puts")],
      ...[column("text", "value"), column("bool", "deletes")],
    ];
  }
}

/** Entries that are written if their key is not there. */
class NewEntries {
  readonly #parts: number[] = [];
  readonly #entries: Entry[] = [];

  add(part: number, entry: Entry): void {
    this.#parts.push(part);
    this.#entries.push(entry);
  }

  get sent(): readonly Buffer[] {
    const texts = (place: 0 | 1): Buffer =>
      binaryArray(
        "text",
        this.#entries.map((entry) => entry[place]),
      );
    return [binaryArray("int4", this.#parts), texts(0), texts(1)];
  }
}

/**
 * Returns the most frequent form of a commit if it has it: nothing is deleted, and what must be absent is written by its own
 * part, as every record of the journal is. The whole form knows everything.
 */
export function sentCommit(parts: readonly CommitPart[]): SentCommit {
  const [rows, fresh, records] = [new Rows(), new NewEntries(), new NewEntries()];
  for (const [number, part] of parts.entries()) {
    if (part.deletes.length > 0) return wholeCommit(parts);
    const conditions = new Map(part.conditions);
    for (const entry of part.puts) {
      const [key, value] = entry;
      const expected = conditions.get(key);
      const isFresh = expected === undefined && conditions.delete(key);
      if (tableOf(key) === "log") records.add(number, entry);
      else if (isFresh) fresh.add(number, entry);
      else rows.add(number, key, rowOf({ expected, value, checks: conditions.delete(key) }));
    }
    for (const [key, expected] of conditions) {
      if (expected === undefined || tableOf(key) === "log") return wholeCommit(parts);
      rows.add(number, key, rowOf({ expected, checks: true }));
    }
  }
  return { text: COMMIT.plain, values: [...rows.sent, ...fresh.sent, ...records.sent] };
}

type Given = Readonly<{
  checks: boolean;
  expected?: string | undefined;
  value?: string | undefined;
  deletes?: boolean;
}>;

const rowOf = ({ checks, expected, value, deletes = false }: Given): Row => ({
  ...{ checks, expected: expected ?? null, puts: value !== undefined, value: value ?? null, deletes },
});

/** Returns a commit in the form that knows everything. */
export function wholeCommit(parts: readonly CommitPart[]): SentCommit {
  const rows: Readonly<Record<StorageTable, Rows>> = { entry: new Rows(), log: new Rows() };
  for (const [number, { conditions, puts, deletes }] of parts.entries()) {
    const rest = new Map<string, Condition[1]>(conditions);
    const add = (key: string, given: Readonly<{ value?: string; deletes?: boolean }>): void => {
      const expected = rest.get(key);
      rows[tableOf(key)].add(number, key, rowOf({ ...given, expected, checks: rest.delete(key) }));
    };
    for (const [key, value] of puts) add(key, { value });
    for (const key of deletes) add(key, { deletes: true });
    for (const key of [...rest.keys()]) add(key, {});
  }
  return { text: COMMIT.whole, isRare: true, values: [...rows.entry.sent, ...rows.log.sent] };
}
