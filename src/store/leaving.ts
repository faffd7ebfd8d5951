import { nextTurn, type OptionCheck } from "../common/index.ts";
import { invariant, isDamage } from "../errors/index.ts";
import { type EndedList, type JournalRecord, type ParentOrder, shardOfId } from "../model/index.ts";
import { encodeParent } from "../wire/index.ts";
import { countKey, type Ended, endedKey, indexKeys, listKey, listKeys, nameKey, placeIn } from "./ended.ts";
import { epochKey, type Journal, type Owned, prunedKey, type RecordPlace } from "./journal.ts";
import { countIn, keyOf, numberIn, partsOf } from "./keys.ts";
import type { Plan, Rows, ValueAt } from "./rows.ts";
import type { Snapshots } from "./snapshots.ts";

/** Rows, and records, that one transaction deletes, which takes some milliseconds. */
const ROWS_PER_STEP = 128;
const RECORDS_PER_STEP = 256;

/** An ended order outside lists, or a list with its legs: they leave a store together. All are of one shard. */
type Leaving = Readonly<{
  shard: number;
  orders: readonly ParentOrder[];
  list?: EndedList;
  /** The records that leave with them, by rising sequence. */
  sequences: readonly number[];
}>;

/** A range of ended orders and lists. */
type Range = Readonly<{ beforeMs: number; limit: number }>;

/** Keeps records before they are deleted, those of orders that ended before a time. */
export type RetainRecords = (places: readonly RecordPlace[], beforeMs: number) => void | Promise<void>;

/** Checks the options of a journal by a check of each. Throws a RangeError for an archive without `prune`. */
export function prunedJournalOption(each: OptionCheck): OptionCheck {
  return (value, name) => {
    each(value, name);
    const { prune, archive } = value as Readonly<{ prune?: boolean; archive?: unknown }>;
    if (archive === undefined || prune === true) return;
    throw new RangeError(`${name}.archive needs ${name}.prune: true: without it, no record leaves the store`);
  };
}

type LeavingParts = Readonly<{
  owned: Owned;
  ended: Ended;
  journal: Journal;
  snapshots: Snapshots;
  retain?: RetainRecords | undefined;
}>;

/** Deletes ended orders and lists of the shards that a handle owns, with or without their records. */
export class LeavingOrders {
  readonly #rows: Rows;
  readonly #parts: LeavingParts;

  constructor(rows: Rows, parts: LeavingParts) {
    this.#rows = rows;
    this.#parts = parts;
  }

  /** Deletes about `limit` rows. Resolves to their number. */
  async delete({ beforeMs, limit }: Range): Promise<number> {
    let gone = 0;
    for await (const step of this.#steps(beforeMs)) {
      if (gone > 0) await nextTurn();
      gone += await this.#drop(firstRows(step, limit - gone));
      if (gone >= limit) break;
    }
    return gone;
  }

  /**
   * Deletes rows with the records of their orders, until none is left or `goesOn` returns false after a step. What an opening
   * still reads stays, and so does an order of which a record is damaged or missing; the first such error is thrown at the
   * end.
   */
  async prune(beforeMs: number, goesOn: () => boolean): Promise<void> {
    await this.#requireSome();
    const damages: unknown[] = [];
    for await (const step of this.#steps(beforeMs)) {
      const before = await this.#parts.snapshots.sequences([...new Set(step.map(({ shard }) => shard))]);
      const due = step.filter(({ shard, orders }) =>
        orders.every(({ lastSequence }) => lastSequence < (before.get(shard) ?? 0)),
      );
      for (const some of groups(await this.#withRecords(due, damages))) {
        await this.#parts.retain?.(placesOf(some), beforeMs);
        // Who still owns a shard of them has deleted something.
        if ((await this.#drop(some)) === 0) await this.#requireSome();
        if (!goesOn()) return;
        await nextTurn();
      }
    }
    if (damages.length > 0) throw damages[0];
  }

  /** Rejects with an InvariantError I60 if every shard has a later owner. */
  async #requireSome(): Promise<void> {
    const shards = this.#parts.owned.shards;
    const epochs = await this.#rows.get(shards.map(epochKey));
    const owns = shards.some((shard, place) => epochs[place] === String(this.#parts.owned.epochOf(shard)));
    invariant(owns, "I60", "every shard belongs to a later owner of the store");
  }

  /** Parents outside lists, then lists with their legs, those that ended first before the others. */
  async *#steps(beforeMs: number): AsyncGenerator<readonly Leaving[]> {
    const before = (kind: string) => ({ from: `${kind} `, before: keyOf(kind, Math.ceil(beforeMs)) });
    for await (const page of this.#rows.pages(before("time"), ROWS_PER_STEP)) {
      const places = page.map(placeIn).filter(({ orderId }) => this.#mayOwn(orderId));
      const orders = await this.#parts.ended.rowsOf(places);
      yield orders
        .filter(({ ended, list }) => list === undefined && (ended?.atMs ?? beforeMs) < beforeMs)
        .map((order) => ({ shard: shardOfId(order.orderId), orders: [order], sequences: [] }));
    }
    for await (const page of this.#rows.pages(before("listtime"), ROWS_PER_STEP / 4)) {
      const leaving: Leaving[] = [];
      for (const [key, account] of page) {
        const listId = -numberIn(partsOf(key)[1]);
        const list = this.#mayOwn(listId)
          ? await this.#parts.ended.list(numberIn(account), listId)
          : undefined;
        if (list === undefined || list.endedAtMs >= beforeMs) continue;
        const orders = await this.#parts.ended.legsOf(listId);
        leaving.push({ shard: shardOfId(listId), orders, list, sequences: [] });
      }
      yield leaving;
    }
  }

  #mayOwn(id: number): boolean {
    return this.#parts.owned.epochOf(shardOfId(id)) !== undefined;
  }

  /** Follows the records of each order from its last one to its first, all orders at once. A damaged one stays. */
  async #withRecords(leaving: readonly Leaving[], damages: unknown[]): Promise<readonly Leaving[]> {
    const found = new Map(leaving.map((one) => [one, new Set<number>()]));
    let steps = leaving.flatMap((one) =>
      one.orders.map(({ orderId, lastSequence }) => ({ one, orderId, sequence: lastSequence })),
    );
    while (steps.length > 0) {
      const places = steps.map(({ one: { shard }, sequence }) => ({ shard, sequence }));
      const records = await this.#parts.journal.recordsAt(places);
      steps = steps.flatMap(({ one, orderId, sequence }, place) => {
        const record = records[place];
        if (record === undefined || !found.has(one)) return [];
        try {
          if (record instanceof Error) throw record;
          found.get(one)?.add(sequence);
          const previous = previousIn(record, orderId, membersOf(one));
          return previous > 0 ? [{ one, orderId, sequence: previous }] : [];
        } catch (error) {
          if (!isDamage(error)) throw error;
          found.delete(one);
          damages.push(error);
          return [];
        }
      });
    }
    return [...found].map(([one, sequences]) => ({
      ...one,
      sequences: [...sequences].sort((a, b) => a - b),
    }));
  }

  /** Deletes, in one transaction, what has not changed meanwhile and is owned. Returns the number of rows. */
  async #drop(leaving: readonly Leaving[]): Promise<number> {
    const gone = new Map<number, number>();
    const shards = [...new Set(leaving.map(({ shard }) => shard))];
    const written = await this.#rows.commit(
      shards.map((shard) => {
        const own = leaving.filter((one) => one.shard === shard);
        return this.#plan(shard, own, (rows) => gone.set(shard, rows));
      }),
    );
    return shards.reduce(
      (sum, shard, place) => sum + (written[place] === true ? (gone.get(shard) ?? 0) : 0),
      0,
    );
  }

  #plan(shard: number, leaving: readonly Leaving[], report: (rows: number) => void): Plan {
    const { owned, journal } = this.#parts;
    return {
      reads: [...new Set([epochKey(shard), prunedKey(shard), ...leaving.flatMap(readsOf)])],
      change(valueAt) {
        if (!owned.owns(shard, valueAt)) return undefined;
        const due = leaving.filter((one) => isUnchanged(one, valueAt));
        report(due.reduce((sum, one) => sum + rowsOf(one), 0));
        const sequences = new Set(due.flatMap((one) => one.sequences));
        const records = journal.forgetting(shard, [...sequences], valueAt);
        return {
          puts: [...countsAfter(due, valueAt), ...records.puts],
          deletes: [...new Set([...due.flatMap(keysOf), ...records.deletes])],
        };
      },
    };
  }
}

/** What deletes the row of an ended order of a store that nobody else uses. */
export function orderDeletion(order: ParentOrder): Plan {
  const leaving = { shard: shardOfId(order.orderId), orders: [order], sequences: [] };
  return {
    reads: [countKey(order.accountId)],
    change: (valueAt) => ({ puts: countsAfter([leaving], valueAt), deletes: keysOf(leaving) }),
  };
}

const placesOf = (leaving: readonly Leaving[]): readonly RecordPlace[] =>
  leaving.flatMap(({ shard, sequences }) => sequences.map((sequence) => ({ shard, sequence })));

/**
 * Divides what leaves into transactions. An order with many records loses the oldest ones first, and its row with the last
 * ones, so that the next call deletes what a crash has left.
 */
function groups(leaving: readonly Leaving[]): readonly (readonly Leaving[])[] {
  const made: Leaving[][] = [];
  let records = RECORDS_PER_STEP;
  for (const one of leaving) {
    for (let from = 0; ; from += RECORDS_PER_STEP) {
      const sequences = one.sequences.slice(from, from + RECORDS_PER_STEP);
      const isLast = from + RECORDS_PER_STEP >= one.sequences.length;
      const part = isLast ? { ...one, sequences } : { shard: one.shard, orders: [], sequences };
      if (records + sequences.length > RECORDS_PER_STEP) {
        made.push([]);
        records = 0;
      }
      made.at(-1)?.push(part);
      records += Math.max(1, sequences.length);
      if (isLast) break;
    }
  }
  return made;
}

/** Number of rows that are deleted with an order or list. */
const rowsOf = ({ orders, list }: Leaving): number => orders.length + (list === undefined ? 0 : 1);

/** Returns the first orders and lists, until they have `least` rows. */
function firstRows(leaving: readonly Leaving[], least: number): readonly Leaving[] {
  let rows = 0;
  return leaving.filter((one) => {
    if (rows >= least) return false;
    rows += rowsOf(one);
    return true;
  });
}

const membersOf = ({ orders, list }: Leaving): ReadonlySet<number> =>
  new Set([...(list?.legs ?? []), ...orders.map(({ orderId }) => orderId)]);

/** Returns the sequence of the order's preceding record, 0 for none. */
function previousIn(
  { shard, sequence, changes }: JournalRecord,
  orderId: number,
  members: ReadonlySet<number>,
): number {
  const name = `record ${sequence} of shard ${shard}`;
  const other = changes.find((change) => !members.has(change.orderId));
  invariant(other === undefined, "I53", `${name} also changes order ${other?.orderId}, which stays`);
  const previous = changes.find((change) => change.orderId === orderId)?.previous;
  invariant(previous !== undefined, "I53", `${name} does not change order ${orderId}`);
  invariant(previous < sequence, "I53", `${name} names record ${previous} as the one before it`);
  return previous;
}

const readsOf = ({ orders, list }: Leaving): readonly string[] => [
  ...orders.flatMap((order) => [endedKey(order), countKey(order.accountId)]),
  ...(list === undefined ? [] : [listKey(list.accountId, list.listId)]),
];

function isUnchanged({ orders, list }: Leaving, valueAt: ValueAt): boolean {
  if (list !== undefined && valueAt(listKey(list.accountId, list.listId)) === undefined) return false;
  return orders.every((order) => valueAt(endedKey(order)) === encodeParent(order));
}

function keysOf({ orders, list }: Leaving): readonly string[] {
  const keys = orders.flatMap((order) => [
    ...[endedKey(order), nameKey(order.accountId, order.intent.clientOrderId)],
    ...indexKeys(order),
  ]);
  return list === undefined ? keys : [...keys, ...listKeys(list)];
}

function countsAfter(due: readonly Leaving[], valueAt: ValueAt): readonly (readonly [string, string])[] {
  const fewer = new Map<number, number>();
  for (const { accountId } of due.flatMap(({ orders }) => orders))
    fewer.set(accountId, (fewer.get(accountId) ?? 0) + 1);
  return [...fewer].map(([accountId, number]) => {
    const key = countKey(accountId);
    return [key, String(countIn(valueAt(key)) - number)];
  });
}
