import { ORDER_TYPES } from "../../model/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { BOOK_SIDE } from "./market-schemas.ts";
import { TRADE_ID } from "./native-schemas.ts";
import {
  decimal,
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
} from "./schema.ts";

const SYMBOL = text("Name of the market: base and quote asset joined.");

/** Types as the convention names them. Schedules keep their own names. */
const TYPES = [
  ...["LIMIT", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT", "LIMIT_MAKER"],
  ...ORDER_TYPES.filter((type) => /^(TWAP|VWAP|POV)$/.test(type)),
];

const STATUSES = ["NEW", "PARTIALLY_FILLED", "PENDING_NEW", "FILLED", "CANCELED", "EXPIRED", "REJECTED"];

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
  status: oneOf(STATUSES, "Latest known status."),
  timeInForce: optional(text("Time in force of the order.")),
  type: optional(oneOf(TYPES, "Type, by the convention's name.")),
  side: optional(oneOf(["BUY", "SELL"], "Side of the order.")),
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
    contingencyType: oneOf(["OCO", "OTO", "OTOCO"], "Kind of the list."),
    listStatusType: oneOf(["EXEC_STARTED", "ALL_DONE"], "Status of the list."),
    listOrderStatus: oneOf(["EXECUTING", "ALL_DONE"], "Status of its orders."),
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
  CompatOrderBook: object("The order book.", {
    lastUpdateId: long("Id of the quote."),
    bids: BOOK_SIDE,
    asks: BOOK_SIDE,
  }),
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
