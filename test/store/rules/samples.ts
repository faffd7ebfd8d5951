import { notional, price, quantity } from "../../../src/decimal/index.ts";
import {
  type EndedList,
  ExecutionIds,
  type JournalRecord,
  type ListMembership,
  type MarketMark,
  type ParentOrder,
  type PricedPrint,
  type StoredQuote,
} from "../../../src/model/index.ts";
import type { OrderStore, ShardAppend } from "../../../src/ports/index.ts";

/** Differences of one sample parent from another. */
export type SampleOrder = Readonly<{
  orderId: number;
  accountId?: number;
  clientOrderId?: string;
  endedAtMs?: number;
}>;

/** A parent that has ended; small, with one amount beyond the safe integers. */
export function endedOrder(sample: SampleOrder): ParentOrder {
  const { orderId, accountId = 1, clientOrderId = `c${-orderId}`, endedAtMs = 1_000 } = sample;
  return {
    ...openOrder({ orderId, accountId, clientOrderId }),
    ended: { status: "CANCELED", reason: "USER_CANCELED", atMs: endedAtMs },
  };
}

/** A parent that waits. */
export function openOrder(sample: SampleOrder): ParentOrder {
  const { orderId, accountId = 1, clientOrderId = `c${-orderId}` } = sample;
  return {
    orderId,
    accountId,
    intent: {
      symbol: "BTC/USD",
      side: "SELL",
      type: "STOP_MARKET",
      quantity: quantity("0.5"),
      stopPrice: price("9999999999.99999999"),
      timeInForce: "GTC",
      reduceOnly: false,
      childTimeInForce: "IOC",
      clientOrderId,
    },
    acceptedAtMs: 500,
    acceptance: 1,
    updatedAtMs: 600,
    lastSequence: 1,
    attempts: 1,
    consecutiveUnfilled: 0,
    notBeforeMs: 0,
    executedQuantity: quantity("0.25"),
    executedNotional: notional("1856.225"),
    executions: ExecutionIds.of(["e1"]),
  };
}

/** A list of two legs, whose ids are the two after its own. */
export function endedList(list: Partial<EndedList> & Pick<EndedList, "listId">): EndedList {
  const { listId } = list;
  return {
    accountId: 1,
    listClientOrderId: `l${-listId}`,
    acceptedAtMs: 500,
    endedAtMs: 1_000,
    legs: [listId - 256, listId - 512],
    ...list,
  };
}

/** The legs of a list as parents that have ended when their list did, or at the time given. */
export function endedLegs(list: EndedList, endedAtMs: number = list.endedAtMs): readonly ParentOrder[] {
  const { listId, accountId, listClientOrderId, legs } = list;
  const membership: ListMembership = {
    listId,
    listClientOrderId,
    contingency: "OCO",
    role: "protective",
    legs,
  };
  return legs.map((orderId) => ({ ...endedOrder({ orderId, accountId, endedAtMs }), list: membership }));
}

/** A fresh print of BTC/USD in the first minute. */
export function samplePrint(print: Partial<PricedPrint> = {}): PricedPrint {
  return {
    symbol: "BTC/USD",
    id: "p1",
    price: price("100"),
    quantity: quantity("0.5"),
    timeMs: 30_000,
    seenAtMs: 30_100,
    fresh: true,
    ...print,
  };
}

/** Record `sequence` of a shard. */
export function sampleRecord(shard: number, sequence: number): JournalRecord {
  const facts = [{ kind: "CHILD_OPEN", childId: `aqc-${shard}-${sequence}` }] as const;
  const changes = [{ orderId: -256 - shard, previous: sequence - 1, facts }];
  return { shard, sequence, timeMs: 1_000 + sequence, cause: { kind: "PLACE" }, changes };
}

/** Records `from` to `to` of a shard, both included. */
export function sampleRecords(shard: number, from: number, to: number): readonly JournalRecord[] {
  return Array.from({ length: to - from + 1 }, (_, index) => sampleRecord(shard, from + index));
}

/**
 * Records 1 to n of a shard. Entry n of `changes` names the orders that record n changes, by id; each change names the
 * record of its order before it. `last` has the last record of each order.
 */
export function recordsOfOrders(
  shard: number,
  changes: readonly (readonly number[])[],
): Readonly<{ records: readonly JournalRecord[]; last: ReadonlyMap<number, number> }> {
  const last = new Map<number, number>();
  const records = changes.map((orders, index) => {
    const sequence = index + 1;
    const changed = orders.map((orderId) => {
      const previous = last.get(orderId) ?? 0;
      last.set(orderId, sequence);
      return { orderId, previous, facts: [] };
    });
    return { ...sampleRecord(shard, sequence), changes: changed };
  });
  return { records, last };
}

/** The last quote of BTC/USD. */
export const QUOTE: StoredQuote = { symbol: "BTC/USD", bid: price("100"), ask: price("101"), timeMs: 5 };

/** A mark of shard 0 for the bid of BTC/USD by default. */
export function sampleMark(mark: Partial<MarketMark> = {}): MarketMark {
  const market = { symbol: "BTC/USD", side: "bid" } as const;
  return { shard: 0, ...market, position: 1, price: price("7424.9"), timeMs: 1_000, ...mark };
}

/** One shard's part of a batch. */
export function part(shard: number, epoch: number, rest: Partial<ShardAppend> = {}): ShardAppend {
  return { shard, epoch, round: 0, records: [], ended: [], ...rest };
}

/** Appends ended parents to shard 0 in the epoch that owns it. */
export async function keepEnded(store: OrderStore, ended: readonly ParentOrder[], shard = 0): Promise<void> {
  const { epoch } = await store.head(shard);
  await store.append({ shards: [part(shard, epoch, { ended })] });
}

/** Appends ended lists, with the parents that ended with them, to shard 0 in the epoch that owns it. */
export async function keepLists(
  store: OrderStore,
  endedLists: readonly EndedList[],
  ended: readonly ParentOrder[] = [],
): Promise<void> {
  const { epoch } = await store.head(0);
  await store.append({ shards: [part(0, epoch, { ended, endedLists })] });
}
