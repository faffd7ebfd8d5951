import { InvariantError, invariant } from "../../errors/index.ts";
import {
  type EndedList,
  type KeptQuote,
  MARKET_SHARD,
  type ParentOrder,
  type PricedPrint,
  SHARD_COUNT,
} from "../../model/index.ts";
import type { AppendBatch, ShardAppend } from "../../ports/index.ts";
import { encodeParent } from "../../wire/index.ts";
import { legsText, textsOf } from "../shared/index.ts";
import { binaryArray, type ElementType } from "./binary-arrays.ts";
import { bytesOf, storable } from "./reading.ts";
import { sumOfEnded, sumOfList, sumOfMark, sumOfPrint, sumOfQuote, sumOfRecord } from "./row-sums.ts";

/** A place in the market journal: the epoch of its owner, and the number of the row within it. */
export type Position = Readonly<{ owner: number; position: number }>;

/** The market data of a batch, with the owner of the market journal that writes it. */
export type MarketPart = Readonly<{
  epoch: number;
  round: number;
  quotes: readonly KeptQuote[];
  prints: readonly PricedPrint[];
  /** Returns the number of the next row. */
  next: () => number;
}>;

/** A statement's columns. Each is one parameter. */
type Columns = readonly (readonly unknown[])[];

/** Columns of an append, as the driver sends them. */
type SentColumns = readonly Buffer[];

/** Which of the append statements has the columns, and the columns. */
export type AppendColumns = Readonly<{
  form: "records" | "orders" | "marks" | "whole";
  columns: SentColumns;
}>;

/** Types of the columns of an append, in the order of its parameters. */
const TYPES = {
  parts: ["int4", "int4", "int8", "int8", "int8"],
  records: ["int4", "int8", "text", "int8"],
  ended: ["int4", "int8", "int8", "bytea", "int8", "int8", "text", "int8"],
  lists: ["int4", "int8", "int8", "bytea", "int8", "int8", "text", "int8"],
  marks: ["int4", "text", "text", "int8", "int8", "int8", "int8"],
  quotes: ["text", "int8", "int8", "int8", "int8", "int8", "int8"],
  prints: ["text", "text", "int8", "int8", "int8", "int8", "bool", "int8", "int8", "int8"],
} as const satisfies Readonly<Record<string, readonly ElementType[]>>;

/**
 * Returns the columns of an append. Throws before anything is sent: a RangeError for an unknown shard, an InvariantError
 * I54 for records of another shard, I50 for a parent that has not ended.
 */
export function appendColumns(shards: AppendBatch["shards"], market: MarketPart | undefined): AppendColumns {
  const ended = endedRows(shards);
  const lists = listRows(shards);
  const columns = [...partColumns(shards, market), ...recordColumns(shards)];
  const marks = markRows(shards);
  if (market === undefined && ended.size + lists.size + marks.length === 0)
    return { form: "records", columns };
  const orders = [
    ...columns,
    ...sent([...ended.values()], TYPES.ended),
    ...sent([...lists.values()], TYPES.lists),
  ];
  if (market === undefined && marks.length === 0) return { form: "orders", columns: orders };
  const withMarks = [...orders, ...sent(marks, TYPES.marks)];
  if (market === undefined) return { form: "marks", columns: withMarks };
  return { form: "whole", columns: [...withMarks, ...marketColumns(market)] };
}

/** Turns rows into columns. Without rows there are empty columns. */
export function transposed(rows: readonly (readonly unknown[])[], width: number): Columns {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));
}

function sent(rows: readonly (readonly unknown[])[], types: readonly ElementType[]): SentColumns {
  return types.map((type, column) =>
    binaryArray(
      type,
      rows.map((row) => row[column]),
    ),
  );
}

/** Throws a RangeError for a shard that does not exist. */
export function requireShard(shard: number): void {
  if (!Number.isInteger(shard) || shard < 0 || shard >= SHARD_COUNT)
    throw new RangeError(`the store has no shard ${shard}`);
}

function partColumns(shards: readonly ShardAppend[], market: MarketPart | undefined): SentColumns {
  const withRecords = new Set<number>();
  const rows = shards.map(({ shard, epoch, round, records }, part) => {
    requireShard(shard);
    if (records.length > 0 && withRecords.has(shard))
      throw new RangeError(`a batch has two parts with records of shard ${shard}`);
    if (records.length > 0) withRecords.add(shard);
    return [part, shard, epoch, round, records[0]?.sequence ?? 0];
  });
  if (market !== undefined) rows.push([-1, MARKET_SHARD, market.epoch, market.round, 0]);
  return sent(rows, TYPES.parts);
}

function recordColumns(shards: readonly ShardAppend[]): SentColumns {
  const rows = shards.flatMap((given, part) => {
    const { shard, records, marks = [] } = given;
    const own = [...records, ...marks].every((one) => one.shard === shard);
    invariant(own, "I54", `a record or mark of another shard was appended to shard ${shard}`);
    const first = records[0]?.sequence ?? 0;
    return textsOf(given).map((text, index) => [
      ...[part, first + index, text, sumOfRecord(shard, first + index, text)],
    ]);
  });
  return sent(rows, TYPES.records);
}

/** Whether the records of a part follow each other. */
export function isGapless({ records }: ShardAppend): boolean {
  const first = records[0]?.sequence ?? 0;
  return records.every((record, index) => record.sequence === first + index);
}

/** By shard and id, because a statement may write each key once; the last one counts. */
function endedRows(shards: readonly ShardAppend[]): ReadonlyMap<string, readonly unknown[]> {
  const rows = new Map<string, readonly unknown[]>();
  for (const [part, { shard, ended }] of shards.entries())
    for (const order of ended) rows.set(`${shard} ${order.orderId}`, endedRow(part, shard, order));
  return rows;
}

function endedRow(part: number, shard: number, order: ParentOrder): readonly unknown[] {
  const { orderId, accountId, intent, ended, list } = order;
  invariant(ended !== undefined, "I50", `parent ${orderId} is stored as ended and has not ended`);
  const listId = list?.listId ?? null;
  const [nameBytes, text] = [bytesOf(intent.clientOrderId), encodeParent(order)];
  const sum = sumOfEnded({ orderId, shard, accountId, nameBytes, endedAtMs: ended.atMs, listId }, text);
  const name = Buffer.from(intent.clientOrderId, "utf8");
  return [part, orderId, accountId, name, ended.atMs, listId, text, sum];
}

function listRows(shards: readonly ShardAppend[]): ReadonlyMap<string, readonly unknown[]> {
  const rows = new Map<string, readonly unknown[]>();
  for (const [part, { shard, endedLists = [] }] of shards.entries())
    for (const list of endedLists) rows.set(`${shard} ${list.listId}`, listRow(part, list));
  return rows;
}

function listRow(part: number, list: EndedList): readonly unknown[] {
  const { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs } = list;
  const columns = [
    accountId,
    Buffer.from(listClientOrderId, "utf8"),
    acceptedAtMs,
    endedAtMs,
    legsText(legs),
  ];
  return [part, listId, ...columns, sumOfList(list)];
}

/** Returns the marks of all parts, the last one of each place. */
function markRows(shards: AppendBatch["shards"]): readonly (readonly unknown[])[] {
  const rows = new Map<string, readonly unknown[]>();
  for (const [part, { marks = [] }] of shards.entries()) {
    for (const mark of marks) {
      const { shard, symbol, side, position, price, timeMs } = mark;
      const values = [symbol, side, position, String(price), timeMs, sumOfMark(mark)];
      rows.set(`${shard} ${side} ${position} ${symbol}`, [part, ...values]);
    }
  }
  return [...rows.values()];
}

function marketColumns({ epoch, quotes, prints, next }: MarketPart): SentColumns {
  const quoteRows = quotes.map((quote) => [
    ...[quote.symbol, epoch, next(), String(quote.bid), String(quote.ask), quote.timeMs, sumOfQuote(quote)],
  ]);
  const firstPrints = new Map<string, PricedPrint>();
  for (const print of prints) {
    const key = `${print.symbol}\n${print.id}`;
    if (!firstPrints.has(key)) firstPrints.set(key, print);
  }
  const printRows = [...firstPrints.values()].map((print) => [
    ...[print.symbol, storable(print.id), print.seenAtMs, print.timeMs, String(print.price)],
    ...[String(print.quantity), print.fresh, epoch, next(), sumOfPrint(print)],
  ]);
  return [...sent(quoteRows, TYPES.quotes), ...sent(printRows, TYPES.prints)];
}

/** Returns the error for a client id that names another order or list of the account. */
export function takenName(key: string): InvariantError | undefined {
  if (key === "ended_client_ids")
    return new InvariantError("I03", "a client id of the batch belongs to another parent of its account");
  if (key === "ended_list_client_ids")
    return new InvariantError("I03", "a client id of the batch belongs to another list of its account");
  return undefined;
}
