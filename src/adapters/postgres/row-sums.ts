import type {
  EndedList,
  JournalRecord,
  KeptQuote,
  MarketMark,
  ParentOrder,
  PricedPrint,
} from "../../model/index.ts";
import { decodeParent, decodeRecord } from "../../wire/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import { legsText } from "../shared/index.ts";
import type { Row } from "./driver.ts";
import { bytesOf, textIn, wholeIn } from "./reading.ts";

/** Throws an InvariantError I53 that names the row if the sum in the column is another one. */
function requireSum(row: Row, column: number, expected: number, name: () => string): void {
  requireIntact(wholeIn(row, column), expected, name, "database");
}

/** Returns the sum of a record with this text. */
export function sumOfRecord(shard: number, sequence: number, text: string): number {
  return checksumOf([shard, sequence], text);
}

/**
 * Throws an InvariantError I53 if a record has changed since it was written. Its sequence, text and sum are in columns
 * that follow each other.
 */
export function requireRecord(row: Row, shard: number, column: number): void {
  const [sequence, text] = [wholeIn(row, column), textIn(row, column + 1)];
  const name = (): string => `journal record ${sequence} of shard ${shard}`;
  requireSum(row, column + 2, sumOfRecord(shard, sequence, text), name);
}

/** Returns a record of the same columns. Throws an InvariantError I53 if it cannot be read or has changed. */
export function recordIn(row: Row, shard: number, column: number): JournalRecord {
  requireRecord(row, shard, column);
  return decodeRecord(textIn(row, column + 1), { shard, sequence: wholeIn(row, column) });
}

/** Columns of an ended parent that its sum includes besides the text. */
type EndedColumns = Readonly<{
  orderId: number;
  shard: number;
  accountId: number;
  nameBytes: string;
  endedAtMs: number;
  listId: number | null;
}>;

/** Returns the sum of an ended parent. */
export function sumOfEnded(columns: EndedColumns, text: string): number {
  const { orderId, shard, accountId, nameBytes, endedAtMs, listId } = columns;
  return checksumOf([orderId, shard, accountId, nameBytes, endedAtMs, listId], text);
}

/** Returns an ended parent of a row of `ENDED_COLUMNS`. Throws an InvariantError I53 if it has changed since. */
export function endedIn(row: Row): ParentOrder {
  const [orderId, text] = [wholeIn(row, 0), textIn(row, 1)];
  const columns: EndedColumns = {
    orderId,
    shard: wholeIn(row, 2),
    accountId: wholeIn(row, 3),
    nameBytes: `\\x${textIn(row, 4)}`,
    endedAtMs: wholeIn(row, 5),
    listId: row[6] === null ? null : wholeIn(row, 6),
  };
  requireSum(row, 7, sumOfEnded(columns, text), () => `parent order ${orderId}`);
  return decodeParent(text, orderId);
}

/** Returns the sum of an ended list. */
export function sumOfList(list: EndedList): number {
  const { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs } = list;
  return checksumOf([listId, accountId, bytesOf(listClientOrderId), acceptedAtMs, endedAtMs, legsText(legs)]);
}

/** Throws an InvariantError I53 if a list has changed since it was written. */
export function requireList(row: Row, column: number, list: EndedList): void {
  requireSum(row, column, sumOfList(list), () => `ended list ${list.listId}`);
}

/** The row that makes a snapshot visible. */
export type SnapshotHeader = Readonly<{
  shard: number;
  generation: string;
  sequence: number;
  counter: number;
  parents: number;
}>;

/** Returns the sum of a header. */
export function sumOfHeader({ shard, generation, sequence, counter, parents }: SnapshotHeader): number {
  return checksumOf([shard, generation, sequence, counter, parents]);
}

/** Throws an InvariantError I53 if a header has changed since it was written. */
export function requireHeader(row: Row, column: number, header: SnapshotHeader): void {
  requireSum(row, column, sumOfHeader(header), () => `the snapshot of shard ${header.shard}`);
}

/** Returns the sum of a part of a snapshot. */
export function sumOfPart(shard: number, generation: string, part: number, text: string): number {
  return checksumOf([shard, generation, part], text);
}

/** Throws an InvariantError I53 if a part of a snapshot has changed since it was written. */
export function requirePart(row: Row, column: number, shard: number, expected: number): void {
  requireSum(row, column, expected, () => `the snapshot of shard ${shard}`);
}

/** Returns the sum of a mark. */
export function sumOfMark({ shard, symbol, side, position, price, timeMs }: MarketMark): number {
  return checksumOf([shard, symbol, side, position, String(price), timeMs]);
}

/** Throws an InvariantError I53 if a mark has changed since it was written. */
export function requireMark(row: Row, column: number, mark: MarketMark): void {
  const { shard, position, symbol, side } = mark;
  requireSum(row, column, sumOfMark(mark), () => `mark ${position} of ${symbol} ${side} in shard ${shard}`);
}

/** Returns the sum of a quote. */
export function sumOfQuote({ symbol, bid, ask, timeMs }: KeptQuote): number {
  return checksumOf([symbol, String(bid), String(ask), timeMs]);
}

/** Throws an InvariantError I53 if a quote has changed since it was written. */
export function requireQuote(row: Row, column: number, quote: KeptQuote): void {
  requireSum(row, column, sumOfQuote(quote), () => `the last quote of ${quote.symbol}`);
}

/** Returns the sum of a print. */
export function sumOfPrint({ symbol, id, seenAtMs, timeMs, price, quantity, fresh }: PricedPrint): number {
  return checksumOf([symbol, id, seenAtMs, timeMs, String(price), String(quantity), String(fresh)]);
}

/** Throws an InvariantError I53 if a print has changed since it was written. */
export function requirePrint(row: Row, column: number, print: PricedPrint): void {
  requireSum(row, column, sumOfPrint(print), () => `print ${print.id} of ${print.symbol}`);
}
