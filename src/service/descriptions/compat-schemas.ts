import { REJECT_REASONS } from "../../host-answers/index.ts";
import { ORDER_TYPES } from "../../model/index.ts";
import { pick } from "../../replies/index.ts";
import { KLINE_INTERVALS } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  BEST_PRICES,
  BOOK_CHANGES,
  bestPricesOf,
  bookChangesOf,
  EVENT_ORDER,
  EVENT_TIME,
  stamped as stampedEvent,
  TRADED,
  tradeOf,
} from "./event-schemas.ts";
import { BOOK_SIDE } from "./market-schemas.ts";
import { TRADE_ID } from "./order-schemas.ts";
import {
  decimal,
  described,
  flag,
  int64,
  integer,
  list,
  long,
  type Members,
  object,
  oneOf,
  only,
  optional,
  ref,
  signedDecimal,
  text,
  time,
  WORDS,
} from "./schema.ts";

/**
 * Schema of the events of orders at `/compat/ws-api/v3`. A letter whose value is not known is absent. Source: convention
 * 4.7.
 */
export const EXECUTION_REPORT: JsonSchema = object("An order changed, in the form of the convention.", {
  ...stampedEvent("executionReport"),
  s: text("Symbol of the market, without a slash."),
  c: text("Client id of the order."),
  C: text("Client id of the order in an event CANCELED; empty in any other."),
  S: EVENT_ORDER.S,
  o: text("Type, in the convention's words."),
  ...pick(EVENT_ORDER, ["f", "q", "p"] as const),
  P: decimal("Stop price; 0 if there is none."),
  d: optional(integer("Trailing distance in basis points.")),
  F: decimal("Display quantity of an iceberg; 0 if there is none."),
  g: EVENT_ORDER.g,
  x: oneOf(["NEW", "TRADE", "CANCELED", "EXPIRED", "REJECTED"], "Execution type."),
  X: text("Status of the order after the event."),
  r: text(`Reason of a rejection, such as ${REJECT_REASONS[0]}; NONE if there is none.`),
  ...pick(EVENT_ORDER, ["i", "l", "z", "L"] as const),
  n: optional(only("0", "Commission. Absent in a trade: it is not known.")),
  N: optional({ type: "null", description: "Asset of the commission. Absent in a trade." }),
  T: time("Time of the event."),
  t: int64("Number of the execution, the same as in myTrades; -1 if the event is not a trade."),
  I: int64("Number of the event."),
  w: flag("Whether the order executes whenever the market allows it."),
  W: optional(time("Since when it does. Absent before, and where it is not known.")),
  m: optional(only(false, "Whether the order was the maker. Absent in a trade of a native order.")),
  M: only(false, "Not used."),
  O: optional(time("Time of the order's acceptance. Absent where it is not known.")),
  Z: optional(decimal("Cumulative amount in USD. Absent if the host does not report it.")),
  Y: decimal("Amount of this execution in USD; 0 if the event is not a trade."),
  Q: decimal("Amount in USD of an order by amount; 0 for any other."),
  V: only("NONE", "Not used."),
  accountId: long("Account that owns the order."),
  apiState: optional(text("State of a managed order within the service.")),
  held: optional(flag("Whether a leg waits for its release.")),
  cancelPending: optional(
    flag("Whether a managed order is canceled once the outcome of its child is known."),
  ),
  executionId: optional(text("Id of the execution, a text of the venue.")),
  reason: optional(text("Reason why the order ended.")),
  alerts: optional(list(text("Condition that a person should look at."), "What the event raised, in order.")),
});

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

const BOOK: Members = { lastUpdateId: long("Id of the quote."), bids: BOOK_SIDE, asks: BOOK_SIDE };

/** Schemas of the events of the public streams for existing clients. Source: convention 4.12. */
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
  ClientPartialDepth: object(
    "The best levels of each side: 5, 10 or 20, as in the name of the stream.",
    BOOK,
  ),
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

/** Types as the convention names them. Schedules keep their own names. */
const TYPES = [
  ...["LIMIT", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT", "LIMIT_MAKER"],
  ...ORDER_TYPES.filter((type) => /^(TWAP|VWAP|POV)$/.test(type)),
];

const ORDER: Members = {
  symbol: SYMBOL,
  orderId: optional(int64("Id of the order: negative for a managed order, positive for a native order.")),
  orderListId: long("Id of the list of the order; -1 if it is not part of a list."),
  clientOrderId: text("Client id of the order."),
  origClientOrderId: optional(text("After a cancel: client id of the canceled order.")),
  transactTime: optional(time("Time of the change or acceptance.")),
  price: decimal("Limit price; 0 if there is none."),
  origQty: optional(decimal("Ordered quantity.")),
  executedQty: decimal("Executed quantity."),
  origQuoteOrderQty: decimal("Ordered amount in USD; 0 if a quantity was ordered."),
  cummulativeQuoteQty: optional(decimal("Executed amount in USD. Absent if it is no longer known.")),
  status: oneOf(WORDS.status, "Latest known status."),
  timeInForce: optional(text("Time in force of the order.")),
  type: optional(oneOf(TYPES, "Type, by the convention's name.")),
  side: optional(oneOf(WORDS.side, "Side of the order.")),
  stopPrice: decimal("Stop price; 0 if there is none."),
  icebergQty: decimal("Display quantity; 0 if there is none."),
  time: optional(time("Time of acceptance. Absent if it is no longer known.")),
  updateTime: optional(time("Time of the last change.")),
  isWorking: flag("Whether the order is or was working: it waits for no trigger and no other order."),
  workingTime: optional({
    ...time("Time since which the order works; -1 if it has not worked."),
    minimum: -1,
  }),
  selfTradePreventionMode: only("NONE", "There is no self-trade prevention."),
};

/** Schemas of the replies of the compat prefix. Orders also have the members of the service's own replies. */
export const COMPAT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  CompatOrder: object("An order.", ORDER),
  CompatOrderList: object("An order list.", {
    orderListId: long("Id of the list, a negative number."),
    contingencyType: oneOf(WORDS.contingencyType, "Kind of the list."),
    listStatusType: oneOf(WORDS.listStatusType, "Status of the list."),
    listOrderStatus: oneOf(WORDS.listOrderStatus, "Status of its orders."),
    listClientOrderId: text("Client id of the list."),
    transactionTime: time("Time of acceptance."),
    symbol: SYMBOL,
    orders: list(
      object("A leg.", {
        symbol: SYMBOL,
        orderId: long("Id of the leg."),
        clientOrderId: text("Client id of the leg."),
      }),
      "The legs.",
    ),
    orderReports: list(ref("CompatOrder"), "The legs in full."),
  }),
  CompatReplacedOrder: object("Both orders of a replacement.", {
    cancelResult: only("SUCCESS", "The order was canceled."),
    newOrderResult: only("SUCCESS", "The new order was placed."),
    cancelResponse: ref("CompatOrder"),
    newOrderResponse: ref("CompatOrder"),
  }),
  CompatAmendedOrder: object("An order with a new quantity.", {
    transactTime: time("Time of the change."),
    amendedOrder: object("The order.", {
      ...ORDER,
      qty: decimal("Quantity."),
      quoteOrderQty: decimal("Amount in USD of an order by amount; 0 for any other."),
      cumulativeQuoteQty: optional(decimal("Executed amount in USD. Absent if it is not known.")),
      preventedQty: only("0", "Not used."),
    }),
  }),
  CompatOrderBook: object("The order book.", BOOK),
  CompatPrice: object("A price.", { symbol: SYMBOL, price: decimal("Last price.") }),
  CompatBookTicker: object("Best prices and sizes.", {
    symbol: SYMBOL,
    bidPrice: decimal("Best bid."),
    bidQty: decimal("Quantity at that price."),
    askPrice: decimal("Best ask."),
    askQty: decimal("Quantity at that price."),
  }),
  CompatAveragePrice: object("A price.", {
    mins: only(0, "Minutes over which the price is averaged: none."),
    price: decimal("Last price."),
    closeTime: time("Current time."),
  }),
  CompatAccount: object("An account.", {
    canTrade: flag("Whether the key may place orders."),
    updateTime: time("Current time."),
    accountType: only("SPOT", "Kind of the account."),
    balances: list(
      object("A balance.", {
        asset: text("Asset."),
        free: signedDecimal("Amount that is not reserved."),
        locked: signedDecimal("Amount that open orders reserve."),
      }),
      "One for each asset.",
    ),
    uid: long("Id of the account."),
  }),
  CompatTrade: object("A fill.", {
    symbol: SYMBOL,
    id: TRADE_ID,
    orderId: int64("Id of the order."),
    orderListId: optional(
      long("Id of the list of the order; -1 if it is not part of a list. Absent from a fill of a child."),
    ),
    price: decimal("Price."),
    qty: decimal("Quantity."),
    quoteQty: decimal("Amount in USD."),
    time: time("Time of the fill."),
    isBuyer: flag("Whether the order bought."),
  }),
  CompatKline: {
    type: "array",
    prefixItems: [
      time("Start."),
      decimal("First price."),
      decimal("Highest price."),
      decimal("Lowest price."),
      decimal("Last price."),
      decimal("Quantity."),
      time("End."),
      decimal("Amount in USD."),
      long("Number of trades."),
      ...[only("0", "Not reported."), only("0", "Not reported."), only("0", "Not used.")],
    ],
    minItems: 12,
    maxItems: 12,
    description: "A kline.",
  },
  CompatPublicTrade: object("A trade.", {
    id: TRADE_ID,
    price: decimal("Price."),
    qty: decimal("Quantity."),
    quoteQty: decimal("Amount in USD."),
    time: time("Time of the trade."),
    isBuyerMaker: only(false, "Not reported; always false."),
    isBestMatch: only(true, "Not used."),
  }),
  CompatAggTrade: object("A trade.", {
    a: TRADE_ID,
    p: decimal("Price."),
    q: decimal("Quantity."),
    f: TRADE_ID,
    l: TRADE_ID,
    T: time("Time of the trade."),
    m: only(false, "Not reported; always false."),
    M: only(true, "Not used."),
  }),
  CompatExchangeInfo: object("Instruments and limits.", {
    timezone: only("UTC", "Time zone."),
    serverTime: time("Current time."),
    symbols: list(
      object("A market, with the members of GET /api/exchangeInfo too.", {
        symbol: SYMBOL,
        status: text("Status of the market."),
        baseAsset: text("Base asset."),
        quoteAsset: text("Quote asset."),
        baseAssetPrecision: integer("Decimals of quantities."),
        quotePrecision: integer("Decimals of prices."),
        orderTypes: list(oneOf(TYPES, "A type."), "Types, by the convention's names."),
        isSpotTradingAllowed: flag("Whether it takes orders."),
      }),
      "All markets.",
    ),
  }),
};
