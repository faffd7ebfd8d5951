import { Price, Quantity } from "managed-orders";
import {
  type AppendBatch,
  type EndedList,
  encodeParent,
  encodeRecord,
  type KeptQuote,
  type MarketMark,
  type PricedPrint,
  type ShardAppend,
  type VolumeCutoff,
} from "managed-orders/ports";

/** What a line says. Amounts are decimal texts: a JSON number would lose digits beyond 2^53. */
export type Entry = Readonly<{ id: string; handle: string }> & Change;

export type Change =
  | Readonly<{ call: "acquire" }>
  | Readonly<{ call: "fence"; shard: number; epoch: number; round: number }>
  | Readonly<{ call: "append"; parts: readonly Part[]; market: Market }>
  | Readonly<{
      call: "snapshot";
      shard: number;
      sequence: number;
      counter: number;
      parents: readonly string[];
    }>
  | Readonly<{ call: "deleteMarks"; marks: readonly Mark[] }>
  | Readonly<{ call: "deleteEnded"; beforeMs: number; limit: number }>
  | Readonly<{ call: "deleteVolume"; cutoff: VolumeCutoff }>;

/** One shard's part of a batch, with its records and rows as texts. */
export type Part = Readonly<{
  shard: number;
  epoch: number;
  round: number;
  sequences: readonly number[];
  records: readonly string[];
  ended: readonly EndedRow[];
  endedLists: readonly EndedList[];
  marks: readonly Mark[];
}>;

export type EndedRow = Readonly<{
  orderId: number;
  accountId: number;
  clientOrderId: string;
  endedAtMs: number;
  listId?: number;
  text: string;
}>;

export type Mark = Omit<MarketMark, "price"> & Readonly<{ price: string }>;
export type Quote = Omit<KeptQuote, "bid" | "ask"> & Readonly<{ bid: string; ask: string }>;
export type Print = Omit<PricedPrint, "price" | "quantity"> & Readonly<{ quantity: string }>;

/** What only the owner of the store may write: quotes and volume. */
export type Market = Readonly<{ quotes: readonly Quote[]; prints: readonly Print[] }>;

/** Returns a batch as an entry. Throws for a batch that is wrong whatever the store contains. */
export function entryOfBatch({ shards, quotes = [], prints = [] }: AppendBatch): Change {
  return {
    call: "append",
    parts: shards.map(partOf),
    market: {
      quotes: quotes.map(({ bid, ask, ...quote }) => ({
        ...quote,
        bid: Price.format(bid),
        ask: Price.format(ask),
      })),
      prints: prints.map(({ price: _price, quantity, ...print }) => ({
        ...print,
        quantity: Quantity.format(quantity),
      })),
    },
  };
}

export const markOf = ({ price, ...mark }: MarketMark): Mark => ({ ...mark, price: Price.format(price) });

function partOf(given: ShardAppend): Part {
  const { shard, epoch, round, records, texts, ended, endedLists = [], marks = [] } = given;
  if ([...records, ...marks].some((one) => one.shard !== shard))
    throw new Error("a record or mark is of another shard");
  return {
    ...{ shard, epoch, round, endedLists },
    marks: marks.map(markOf),
    sequences: records.map(({ sequence }) => sequence),
    records: texts ?? records.map(encodeRecord),
    ended: ended.map((order) => {
      if (order.ended === undefined) throw new Error(`order ${order.orderId} has not ended`);
      const { orderId, accountId, intent, list } = order;
      return {
        ...{ orderId, accountId, clientOrderId: intent.clientOrderId, endedAtMs: order.ended.atMs },
        ...(list && { listId: list.listId }),
        text: encodeParent(order),
      };
    }),
  };
}
