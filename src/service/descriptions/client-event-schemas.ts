import { KLINE_INTERVALS } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  BEST_PRICES,
  BOOK_CHANGES,
  bestPricesOf,
  bookChangesOf,
  EVENT_TIME,
  TRADED,
  tradeOf,
} from "./event-schemas.ts";
import { BOOK_SIDE } from "./market-schemas.ts";
import { TRADE_ID } from "./native-schemas.ts";
import {
  decimal,
  described,
  flag,
  long,
  type Members,
  object,
  oneOf,
  only,
  optional,
  signedDecimal,
  text,
  time,
} from "./schema.ts";

const SYMBOL = text("Name of the market: base and quote asset joined.");

const stamped = (event: string): Members => ({
  e: only(event, "Event type."),
  E: EVENT_TIME,
  s: SYMBOL,
});

/** Figures that a large and a small ticker share. They cover 1,440 minutes, the current minute included. */
const DAY: Members = {
  c: decimal("Last price. Before the first execution, the midpoint of bid and ask."),
  o: optional(
    decimal("First price of the last 1,440 minutes. Absent, like h, l, v and q, if prices are unknown."),
  ),
  h: optional(decimal("Highest price.")),
  l: optional(decimal("Lowest price.")),
  v: optional(decimal("Executed quantity.")),
  q: optional(decimal("Executed amount in USD.")),
};

const TICKER: Members = {
  ...DAY,
  p: optional(signedDecimal("Last price less the first. Absent, like P, w and n, if o is absent.")),
  P: optional(signedDecimal("The same in percent of the first price, rounded down.")),
  w: optional(decimal("Average price, weighted by quantity; 0 without trades.")),
  n: optional(long("Number of trades.")),
  Q: optional(decimal("Quantity of the last trade. Absent before the first one since the service started.")),
  b: optional(decimal("Best bid. Absent, like B, a and A, before the first quote.")),
  B: optional(decimal("Quantity at that price; 0 if that side of the book is empty.")),
  a: optional(decimal("Best ask.")),
  A: optional(decimal("Quantity at that price; 0 if that side of the book is empty.")),
  O: time("Start of the 1,440 minutes."),
  C: time("Current time."),
};

const KLINE = object("The kline.", {
  t: time("Start."),
  T: time("Last millisecond of the kline."),
  s: SYMBOL,
  i: oneOf(KLINE_INTERVALS, "Interval."),
  f: only(-1, "Not reported."),
  L: only(-1, "Not reported."),
  o: decimal("First price."),
  c: decimal("Last price."),
  h: decimal("Highest price."),
  l: decimal("Lowest price."),
  v: decimal("Quantity."),
  n: long("Number of trades."),
  x: flag("Whether the kline has ended."),
  q: decimal("Amount in USD."),
  V: only("0", "Not reported."),
  Q: only("0", "Not reported."),
  B: only("0", "Not used."),
});

/** Schemas of the events of the public streams for existing clients. Source: decision NI; convention 4.12. */
export const CLIENT_EVENTS: Readonly<Record<string, JsonSchema>> = {
  ClientTrade: object("An execution on this service.", tradeOf(SYMBOL)),
  ClientAggTrade: object("An execution in the form of an aggregate. Each is an aggregate of its own.", {
    ...stamped("aggTrade"),
    ...{ a: TRADE_ID, f: TRADE_ID, l: TRADE_ID },
    ...TRADED,
  }),
  ClientBookTicker: object("Best prices of a market.", described(BEST_PRICES, bestPricesOf(SYMBOL))),
  ClientDepthUpdate: object(
    "Changes that a quote made to the book.",
    described(BOOK_CHANGES, bookChangesOf(SYMBOL)),
  ),
  ClientPartialDepth: object("The best levels of each side: 5, 10 or 20, as in the name of the stream.", {
    lastUpdateId: long("Id of the quote."),
    bids: BOOK_SIDE,
    asks: BOOK_SIDE,
  }),
  ClientKline: object("A kline, running or ended.", {
    ...stamped("kline"),
    k: KLINE,
  }),
  ClientTicker: object("Figures of a market over the last day.", {
    ...stamped("24hrTicker"),
    ...TICKER,
  }),
  ClientMiniTicker: object("Some of these figures.", {
    ...stamped("24hrMiniTicker"),
    ...DAY,
  }),
};
