import { notional, price, quantity } from "../../src/decimal/index.ts";
import type { JournalRecord, MarketMark, ParentOrder } from "../../src/model/index.ts";
import type { OrderStore, ShardAppend } from "../../src/ports/index.ts";

/** What tells one sample parent from another. */
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
    updatedAtMs: 600,
    record: 1,
    attempts: 1,
    misses: 0,
    notBeforeMs: 0,
    executedQuantity: quantity("0.25"),
    executedNotional: notional("1856.225"),
    executions: ["e1"],
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

/** A mark of the bid of BTC/USD unless told otherwise. */
export function sampleMark(mark: Partial<MarketMark> = {}): MarketMark {
  return { symbol: "BTC/USD", side: "bid", position: 1, price: price("7424.9"), timeMs: 1_000, ...mark };
}

/** One shard's part of a batch. */
export function part(shard: number, epoch: number, rest: Partial<ShardAppend> = {}): ShardAppend {
  return { shard, epoch, records: [], ended: [], ...rest };
}

/** Appends ended parents to shard 0 in the epoch that owns it. */
export async function keepEnded(store: OrderStore, ended: readonly ParentOrder[], shard = 0): Promise<void> {
  const { epoch } = await store.head(shard);
  await store.append({ shards: [part(shard, epoch, { ended })], marks: [] });
}
