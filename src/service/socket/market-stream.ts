import type { PrintUpdate } from "../../engine/index.ts";
import type { Quote } from "../../model/index.ts";
import type { PeriodMs } from "../../requests/index.ts";
import type { JsonInput } from "../../wire/index.ts";

/** A change of a book: its quotes before and after it, and the number of the first quote that belongs to it. */
export type BookChange = Readonly<{ before: Quote | undefined; quote: Quote; first: number }>;

/** A counted quote, the one before it, and the id of the series of their numbers, if there is one. */
export type QuoteChange = BookChange & Readonly<{ seriesId: string | undefined }>;

/**
 * A period of one market: its first and last moment in epoch milliseconds, the change of its book if it had a quote, and
 * whether it had a print.
 */
export type MarketPeriod = Readonly<{
  fromMs: number;
  nowMs: number;
  change: BookChange | undefined;
  isPrinted: boolean;
}>;

/** When events of a stream are sent, and what they contain. `nowMs` is the current time in epoch milliseconds. */
export type StreamPayload =
  | Readonly<{ on: "quote"; event: (change: QuoteChange, nowMs: number) => JsonInput }>
  | Readonly<{ on: "print"; event: (print: PrintUpdate, nowMs: number) => JsonInput }>
  | Readonly<{ on: "period"; everyMs: PeriodMs; events: (period: MarketPeriod) => readonly JsonInput[] }>;

/**
 * A stream of one market, under the name by which clients list it. Streams of the same `kind` and symbol have the same name
 * and payload.
 */
export type MarketStream = Readonly<{ name: string; symbol: string; kind: string; payload: StreamPayload }>;
