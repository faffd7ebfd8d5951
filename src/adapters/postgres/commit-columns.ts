import type { CommitPart } from "../../ports/index.ts";
import { binaryArray } from "./binary-arrays.ts";
import { COMMIT, JOURNAL_KEYS, type StorageTable } from "./storage-statements.ts";

/** A commit as it is sent: a statement and its columns. */
export type SentCommit = Readonly<{ text: string; values: readonly Buffer[] }>;

/** Keys and values of parts, in three columns. */
class Columns {
  readonly parts: number[] = [];
  readonly keys: string[] = [];
  readonly values: (string | null)[] = [];

  add(part: number, key: string, value: string | undefined): void {
    this.parts.push(part);
    this.keys.push(key);
    this.values.push(value ?? null);
  }

  get sent(): readonly Buffer[] {
    return [
      binaryArray("int4", this.parts),
      binaryArray("text", this.keys),
      binaryArray("text", this.values),
    ];
  }
}

/** Returns the table that has a key. */
export const tableOf = (key: string): StorageTable => (key.startsWith(JOURNAL_KEYS[0]) ? "log" : "entry");

/** Returns the most frequent form of a commit if it has it, or else the whole one, which knows everything. */
export function sentCommit(parts: readonly CommitPart[]): SentCommit {
  return isPlain(parts) ? plainCommit(parts) : wholeCommit(parts);
}

/** Whether nothing is deleted, no condition is about the journal, and what must be absent is written by its own part. */
const isPlain = (parts: readonly CommitPart[]): boolean =>
  parts.every(
    (part) =>
      part.deletes.length === 0 &&
      part.conditions.every(([key]) => tableOf(key) === "entry") &&
      !aloneIn(part).includes(true),
  );

function plainCommit(parts: readonly CommitPart[]): SentCommit {
  const [entries, records, free] = [new Columns(), new Columns(), unconditioned(parts)];
  for (const [part, { puts }] of parts.entries())
    for (const [key, value] of puts) (tableOf(key) === "log" ? records : entries).add(part, key, value);
  const values = [...conditionsOf(parts).sent, ...entries.sent, binaryArray("text", free)];
  if (records.keys.length === 0) return { text: COMMIT.entries, values };
  return { text: COMMIT.records, values: [...values, ...records.sent] };
}

/** Returns a commit in the form that knows everything. */
export function wholeCommit(parts: readonly CommitPart[]): SentCommit {
  const [puts, deletes] = [new Columns(), new Columns()];
  for (const [part, given] of parts.entries()) {
    for (const [key, value] of given.puts) puts.add(part, key, value);
    for (const key of given.deletes) deletes.add(part, key, undefined);
  }
  const alone = parts.flatMap(aloneIn);
  const columns = [...conditionsOf(parts).sent, ...puts.sent, binaryArray("text", unconditioned(parts))];
  const [deleting = binaryArray("int4", []), deleted = binaryArray("text", [])] = deletes.sent;
  return { text: COMMIT.whole, values: [...columns, binaryArray("bool", alone), deleting, deleted] };
}

function conditionsOf(parts: readonly CommitPart[]): Columns {
  const columns = new Columns();
  for (const [part, { conditions }] of parts.entries())
    for (const [key, value] of conditions) columns.add(part, key, value);
  return columns;
}

/** Returns the keys that are put without a condition. */
function unconditioned(parts: readonly CommitPart[]): readonly string[] {
  return parts.flatMap(({ conditions, puts }) => {
    const conditioned = new Set(conditions.map(([key]) => key));
    return puts.flatMap(([key]) => (conditioned.has(key) ? [] : [key]));
  });
}

/** Returns for each condition of a part whether it wants a key absent that the part does not put. */
function aloneIn({ conditions, puts }: CommitPart): readonly boolean[] {
  if (conditions.every(([, value]) => value !== undefined)) return conditions.map(() => false);
  const put = new Set(puts.map(([key]) => key));
  return conditions.map(([key, value]) => value === undefined && !put.has(key));
}
