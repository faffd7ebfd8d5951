import type { CommitPart } from "../../ports/index.ts";
import { binaryArray } from "./binary-arrays.ts";
import { COMMIT, JOURNAL_KEYS, type StorageTable } from "./storage-statements.ts";

/** A commit as it is sent: a statement and its columns. One in the whole form is rare. */
export type SentCommit = Readonly<{ text: string; values: readonly Buffer[]; isRare?: boolean }>;

/** Returns the table that has a key. */
export const tableOf = (key: string): StorageTable => (key.startsWith(JOURNAL_KEYS[0]) ? "log" : "entry");

/** Keys and values of parts, in three columns. */
class Columns {
  readonly #parts: number[] = [];
  readonly #keys: string[] = [];
  readonly #values: (string | null)[] = [];

  add(part: number, key: string, value: string | undefined): void {
    this.#parts.push(part);
    this.#keys.push(key);
    this.#values.push(value ?? null);
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0;
  }

  /** The numbers of the parts and the keys. */
  get sentKeys(): readonly Buffer[] {
    return [binaryArray("int4", this.#parts), binaryArray("text", this.#keys)];
  }

  get sent(): readonly Buffer[] {
    return [...this.sentKeys, binaryArray("text", this.#values)];
  }
}

/**
 * Returns the most frequent form of a commit if it has it: nothing is deleted, no condition is about the journal, and what must
 * be absent is written by its own part. The whole form knows everything.
 */
export function sentCommit(parts: readonly CommitPart[]): SentCommit {
  if (!parts.every(isPlain)) return wholeCommit(parts);
  const records = new Columns();
  const values = columnsOf(parts, records);
  if (records.isEmpty) return { text: COMMIT.entries, values };
  return { text: COMMIT.records, values: [...values, ...records.sent] };
}

const isPlain = ({ conditions, puts, deletes }: CommitPart): boolean =>
  deletes.length === 0 &&
  conditions.every(([key, value]) => tableOf(key) === "entry" && (value !== undefined || has(puts, key)));

/** Returns a commit in the form that knows everything. */
export function wholeCommit(parts: readonly CommitPart[]): SentCommit {
  const deletes = new Columns();
  const alone: boolean[] = [];
  for (const [part, given] of parts.entries()) {
    for (const [key, value] of given.conditions) alone.push(value === undefined && !has(given.puts, key));
    for (const key of given.deletes) deletes.add(part, key, undefined);
  }
  return {
    text: COMMIT.whole,
    isRare: true,
    values: [...columnsOf(parts), binaryArray("bool", alone), ...deletes.sentKeys],
  };
}

/**
 * Returns the columns of conditions and puts, and the keys whose value may be replaced: those that need not be absent. Puts of
 * the journal go to `records` if it is given.
 */
function columnsOf(parts: readonly CommitPart[], records?: Columns): readonly Buffer[] {
  const [conditioned, put] = [new Columns(), new Columns()];
  const replaced: string[] = [];
  for (const [part, { conditions, puts }] of parts.entries()) {
    for (const [key, value] of conditions) conditioned.add(part, key, value);
    const absent = conditions.filter(([, value]) => value === undefined);
    for (const [key, value] of puts) {
      if (records !== undefined && tableOf(key) === "log") records.add(part, key, value);
      else {
        put.add(part, key, value);
        if (!has(absent, key)) replaced.push(key);
      }
    }
  }
  return [...conditioned.sent, ...put.sent, binaryArray("text", replaced)];
}

/** Lists that are longer are searched with a set. */
const SHORT = 32;

const sets: WeakMap<readonly (readonly unknown[])[], ReadonlySet<unknown>> = new WeakMap();

/** Whether a list of conditions or puts has a key. */
function has(list: readonly (readonly [key: string, value: string | undefined])[], key: string): boolean {
  if (list.length <= SHORT) return list.some(([one]) => one === key);
  let set = sets.get(list);
  if (set === undefined) {
    set = new Set(list.map(([one]) => one));
    sets.set(list, set);
  }
  return set.has(key);
}
