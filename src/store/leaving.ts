import { invariant } from "../errors/index.ts";
import { type EndedList, type JournalRecord, type ParentOrder, shardOfId } from "../model/index.ts";
import { encodeParent } from "../wire/index.ts";
import { countIn, countKey, type Ended, endedKey, indexKeys, listKey, listKeys, nameKey } from "./ended.ts";
import { epochKey, type Journal, type Owned } from "./journal.ts";
import { keyOf, numberIn, partsOf } from "./keys.ts";
import { nextTurn } from "./next-turn.ts";
import type { Plan, Rows, ValueAt } from "./rows.ts";
import type { Snapshots } from "./snapshots.ts";

/** Rows that one transaction deletes, which takes some milliseconds. */
const ROWS_PER_STEP = 128;

/** An ended order outside lists, or a list with its legs: they leave a store together. All are of one shard. */
type Leaving = Readonly<{
  shard: number;
  orders: readonly ParentOrder[];
  list?: EndedList;
  /** The records of the orders that leave with them, by rising sequence. */
  sequences: readonly number[];
}>;

/** A range of ended orders and lists. */
type Range = Readonly<{ beforeMs: number; limit: number }>;

/** Deletes ended orders and lists of the shards that a handle owns, with or without their records. */
export class LeavingOrders {
  readonly #rows: Rows;
  readonly #parts: Readonly<{ owned: Owned; ended: Ended; journal: Journal; snapshots: Snapshots }>;

  constructor(
    rows: Rows,
    parts: Readonly<{ owned: Owned; ended: Ended; journal: Journal; snapshots: Snapshots }>,
  ) {
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
   * still reads stays.
   */
  async forget(beforeMs: number, goesOn: () => boolean): Promise<void> {
    await this.#requireSome();
    for await (const step of this.#steps(beforeMs)) {
      const before = await this.#parts.snapshots.sequences([...new Set(step.map(({ shard }) => shard))]);
      const due = step.filter(({ shard, orders }) =>
        orders.every(({ lastSequence }) => lastSequence < (before.get(shard) ?? 0)),
      );
      await this.#drop(await this.#withRecords(due));
      await this.#requireSome();
      if (!goesOn()) return;
      await nextTurn();
    }
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
      const ids = page.map(([key]) => -numberIn(partsOf(key)[1])).filter((id) => this.#mayOwn(id));
      if (ids.length === 0) continue;
      const orders = await this.#parts.ended.rowsOf(ids);
      yield orders
        .filter(({ ended, list }) => list === undefined && (ended?.atMs ?? beforeMs) < beforeMs)
        .map((order) => ({ shard: shardOfId(order.orderId), orders: [order], sequences: [] }));
    }
    for await (const page of this.#rows.pages(before("listtime"), ROWS_PER_STEP / 4)) {
      const leaving: Leaving[] = [];
      for (const [key, account] of page) {
        const listId = -numberIn(partsOf(key)[1]);
        const list = this.#mayOwn(listId) ? await this.#parts.ended.list(Number(account), listId) : undefined;
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

  /** Follows the records of each order from its last one to its first, all orders at once. */
  async #withRecords(leaving: readonly Leaving[]): Promise<readonly Leaving[]> {
    const found = new Map<Leaving, Set<number>>(leaving.map((one) => [one, new Set()]));
    type Step = Readonly<{ one: Leaving; orderId: number; sequence: number }>;
    let steps: readonly Step[] = leaving.flatMap((one) =>
      one.orders.map(({ orderId, lastSequence }) => ({ one, orderId, sequence: lastSequence })),
    );
    while (steps.length > 0) {
      const records = await this.#parts.journal.recordsAt(
        steps.map(({ one: { shard }, sequence }) => ({ shard, sequence })),
      );
      steps = steps.flatMap(({ one, orderId, sequence }, place) => {
        const record = records[place];
        if (record === undefined) return [];
        found.get(one)?.add(sequence);
        const previous = previousIn(record, orderId, membersOf(one));
        return previous > 0 ? [{ one, orderId, sequence: previous }] : [];
      });
    }
    return leaving.map((one) => ({
      ...one,
      sequences: [...(found.get(one) ?? [])].sort((a, b) => a - b),
    }));
  }

  /** Deletes, in one transaction, what has not changed meanwhile and is owned. Returns the number of rows. */
  async #drop(leaving: readonly Leaving[]): Promise<number> {
    const ofShard = new Map<number, Leaving[]>();
    for (const one of leaving) ofShard.set(one.shard, [...(ofShard.get(one.shard) ?? []), one]);
    let gone = 0;
    const plans = [...ofShard].map(([shard, all]) => this.#plan(shard, all));
    const written = await this.#rows.commit(plans.map(({ plan }) => plan));
    for (const [place, { rows }] of plans.entries()) if (written[place] === true) gone += rows();
    return gone;
  }

  #plan(shard: number, leaving: readonly Leaving[]): Readonly<{ plan: Plan; rows: () => number }> {
    const { owned, journal } = this.#parts;
    const forgets = leaving.some(({ sequences }) => sequences.length > 0);
    let rows = 0;
    const plan: Plan = {
      reads: [
        epochKey(shard),
        ...new Set(leaving.flatMap(readsOf)),
        ...(forgets ? journal.forgettingReads(shard) : []),
      ],
      change(valueAt) {
        if (!owned.owns(shard, valueAt)) return undefined;
        const due = leaving.filter((one) => isUnchanged(one, valueAt));
        rows = due.reduce((sum, one) => sum + rowsOf(one), 0);
        const records = journal.forgetting(
          shard,
          due.flatMap(({ sequences }) => sequences),
          valueAt,
        );
        return {
          puts: [...countsAfter(due, valueAt), ...records.puts],
          deletes: [...new Set([...due.flatMap(keysOf), ...records.deletes])],
        };
      },
    };
    return { plan, rows: () => rows };
  }
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
  ...orders.flatMap(({ orderId, accountId }) => [endedKey(orderId), countKey(accountId)]),
  ...(list === undefined ? [] : [listKey(list.accountId, list.listId)]),
];

function isUnchanged({ orders, list }: Leaving, valueAt: ValueAt): boolean {
  if (list !== undefined && valueAt(listKey(list.accountId, list.listId)) === undefined) return false;
  return orders.every((order) => valueAt(endedKey(order.orderId)) === encodeParent(order));
}

function keysOf({ orders, list }: Leaving): readonly string[] {
  const keys = orders.flatMap((order) => [
    ...[endedKey(order.orderId), nameKey(order.accountId, order.intent.clientOrderId)],
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
