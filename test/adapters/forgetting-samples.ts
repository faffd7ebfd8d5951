import type { JournalRecord, ParentOrder } from "../../src/model/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import {
  endedLegs,
  endedList,
  endedOrder,
  openOrder,
  part,
  recordsOfOrders,
} from "../store/rules/samples.ts";

/** The shard of all samples. */
export const SHARD = 3;

/** A cutoff after the end of every sample. */
export const BEFORE: Readonly<{ beforeMs: number }> = { beforeMs: 10_000 };

/** Lets the work go on after every step. */
export const always = (): boolean => true;

/** Returns the id of the n-th order of the shard. */
export const idOf = (count: number): number => -(count * 256 + SHARD);

/** Returns an ended order with this last record. */
export const ended = (order: number, lastSequence: number): ParentOrder => ({
  ...endedOrder({ orderId: idOf(order) }),
  lastSequence,
});

/** Returns records of orders: each entry names the orders that the next record changes. */
export const recordsOf = (changes: readonly (readonly number[])[]): ReturnType<typeof recordsOfOrders> =>
  recordsOfOrders(
    SHARD,
    changes.map((orders) => orders.map(idOf)),
  );

/** Resolves to the sequences of the records that a store still has. */
export async function stored(store: OrderStore): Promise<readonly number[]> {
  const records: JournalRecord[] = [];
  for (;;) {
    const after = records.at(-1)?.sequence ?? 0;
    const page = await store.readRecords({ shard: SHARD, after, limit: 1_000 });
    if (page.length === 0) return records.map(({ sequence }) => sequence);
    records.push(...page);
  }
}

/**
 * Writes a snapshot, and `long` + 9 records: orders 1 and 3 have ended, 2 is open, 4 and 5 are the legs of an ended list,
 * 6 is the last one.
 */
export async function fill(store: OrderStore, long = 3): Promise<void> {
  const chain = Array.from({ length: long }, () => [1]);
  const changes = [[1], [2], [3], [4, 5], ...chain, [3], [4], [2], [4, 5], [6]];
  const { records, last } = recordsOf(changes);
  const at = (order: number): number => last.get(idOf(order)) ?? 0;
  const list = endedList({ listId: idOf(9), legs: [idOf(4), idOf(5)] });
  const legs = endedLegs(list).map((leg, index) => ({ ...leg, lastSequence: at(4 + index) }));
  const rows = [ended(1, at(1)), ended(3, at(3)), ended(6, at(6)), ...legs];
  const { [SHARD]: head } = await store.acquire();
  const shards = [part(SHARD, head?.epoch ?? 0, { records, ended: rows, endedLists: [list] })];
  await store.append({ shards });
  const parents = [{ ...openOrder({ orderId: idOf(2) }), lastSequence: at(2) }];
  await store.writeSnapshot({ shard: SHARD, sequence: records.length, counter: 9, parents });
}
