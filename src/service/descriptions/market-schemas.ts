import { INSTRUMENT_KINDS } from "../../model/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  decimal,
  flag,
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

const LEVEL: JsonSchema = {
  type: "array",
  items: decimal("Price in USD, then quantity."),
  minItems: 2,
  maxItems: 2,
  description: "A level: price in USD and quantity.",
};

/** One side of a book, best level first. */
export const BOOK_SIDE: JsonSchema = list(LEVEL, "Levels, best first.");

const RATE_LIMIT: Members = {
  rateLimitType: oneOf(["REQUEST_WEIGHT", "ORDERS"], "Kind of the limit."),
  interval: oneOf(["SECOND", "MINUTE", "DAY"], "Time unit of the window."),
  intervalNum: integer("Length of the window in that unit."),
  limit: integer("Maximum in one window."),
};

const filter = (name: string, description: string, members: Members): JsonSchema =>
  object(description, { filterType: only(name, "Kind of the filter."), ...members });

const FILTER: JsonSchema = {
  oneOf: [
    filter("PRICE_FILTER", "Allowed prices.", {
      minPrice: decimal("Minimum price."),
      maxPrice: decimal("Maximum price."),
      tickSize: decimal("Step."),
    }),
    filter("LOT_SIZE", "Allowed quantities.", {
      minQty: decimal("Minimum quantity."),
      maxQty: decimal("Maximum quantity."),
      stepSize: decimal("Step."),
    }),
    filter("NOTIONAL", "Minimum value of an order.", {
      minNotional: decimal("Minimum value in USD."),
      applyMinToMarket: flag("Whether the filter applies to market orders too."),
      avgPriceMins: integer("Minutes over which the price is averaged; 0 if the current price is used."),
    }),
    filter("ICEBERG_PARTS", "Allowed division of an iceberg.", {
      limit: integer("Maximum number of parts."),
    }),
  ],
};

const PRICES: Members = {
  symbol: text("Symbol of the market."),
  price: decimal("Last price. Before the first execution, the midpoint of bid and ask."),
  lastPrice: decimal("The same value as price."),
  bid: optional(decimal("Best bid.")),
  ask: optional(decimal("Best ask.")),
  bidPrice: optional(decimal("Best bid.")),
  bidQty: optional(decimal("Quantity at that price.")),
  askPrice: optional(decimal("Best ask.")),
  askQty: optional(decimal("Quantity at that price.")),
  lastUpdateId: optional(text("Id of the quote.")),
};

/** Schemas of the public replies. Source: contract, Resources and their fields; convention 5.1 and 5.2. */
export const MARKET_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Empty: object("An empty object.", {}),
  ServerTime: object("The time of the service.", { serverTime: time("Current time.") }),
  Status: object("Status of the service.", {
    system: oneOf(
      ["normal", "degraded", "draining"],
      "degraded: the quotes of a market have stopped, the outcome of a child is unknown, or the store fails. draining: the service accepts no new orders.",
    ),
    reasons: list(text("A condition, such as QUOTES_STOPPED."), "Conditions for which system is not normal."),
    serverTime: time("Current time."),
    features: object("Features of the service.", {
      leveraged_trading: flag("Whether trading on margin is available."),
      dark_pool_mode: flag("Whether a dark pool is available."),
      bridge_required: flag("Whether a bridge is required."),
      advanced_orders: flag("Whether managed orders and lists are available."),
    }),
  }),
  RateLimit: object("A limit.", RATE_LIMIT),
  UsedRateLimit: object("A limit and the used part of it.", {
    ...RATE_LIMIT,
    count: integer("Amount used in the current window."),
  }),
  Symbol: object("An instrument.", {
    id: long("Id of the instrument."),
    symbol: text("Symbol of the instrument."),
    status: text("TRADING if orders are accepted; CANCEL_ONLY if no orders are accepted at all."),
    baseAsset: text("Base asset: the traded asset."),
    quoteAsset: text("Quote asset: the asset that prices are in."),
    name: text("Name of the instrument."),
    kind: oneOf(INSTRUMENT_KINDS, "Kind of the instrument. Only liquidity instruments accept orders."),
    isSpotTradingAllowed: flag("Whether the instrument accepts orders."),
    quantityScale: integer("Number of decimals of quantities."),
    address: optional(text("Address of the traded asset, such as its contract on a blockchain.")),
    url: optional(text("Web page about the instrument.", { format: "uri" })),
    baseAssetPrecision: integer("Number of decimals of quantities."),
    quoteAssetPrecision: integer("Number of decimals of prices."),
    orderTypes: list(text("An order type."), "Every name of an order type that the instrument accepts."),
    icebergAllowed: flag("Whether the instrument accepts icebergs."),
    ocoAllowed: flag("Whether the instrument accepts OCO lists."),
    otoAllowed: flag("Whether the instrument accepts OTO and OTOCO lists."),
    filters: list(FILTER, "Filters that orders must pass."),
  }),
  ExchangeInfo: object("Instruments and limits.", {
    timezone: only("UTC", "Time zone in which a day begins."),
    serverTime: time("Current time."),
    rateLimits: list(ref("RateLimit"), "Limits of this service."),
    exchangeFilters: {
      type: "array",
      items: { type: "object" },
      maxItems: 0,
      description: "Always empty.",
    },
    symbols: list(ref("Symbol"), "All instruments."),
  }),
  InstrumentPairs: object("Instruments.", {
    instrumentPairs: list(ref("Symbol"), "The first instruments, up to the limit of the request."),
  }),
  Ticker: object("Prices of a market.", {
    ...PRICES,
    closeTime: optional(time("Time of the quote.")),
  }),
  DayTicker: object(
    "Prices of a market, and the volume that this service has executed there in the last day.",
    {
      ...PRICES,
      openPrice: optional(
        decimal("First price of these minutes. Absent, like the next figures, if it is not known."),
      ),
      highPrice: optional(decimal("Highest price.")),
      lowPrice: optional(decimal("Lowest price.")),
      priceChange: optional(signedDecimal("Last price less the first.")),
      priceChangePercent: optional(signedDecimal("The same in percent of the first price, rounded down.")),
      weightedAvgPrice: optional(decimal("Average price, weighted by quantity; 0 without trades.")),
      quoteVolume: optional(decimal("Executed amount in USD.")),
      count: optional(long("Number of trades.")),
      volume: decimal(
        "Executed quantity of the last 1,440 minutes, in whole minutes, the current minute included.",
      ),
      openTime: time("Start of these minutes."),
      closeTime: time("Current time."),
    },
  ),
  OrderBook: object("Order book of a market.", {
    symbol: text("Symbol of the market."),
    lastUpdateId: text("Id of the quote; 0 if there is no quote yet."),
    seriesId: optional(text("Series of that id. Ids of another series are not comparable with it.")),
    bids: BOOK_SIDE,
    asks: BOOK_SIDE,
  }),
};
