import { INSTRUMENT_KINDS } from "../../model/index.ts";
import {
  DAY_TICKER,
  EXCHANGE_INFO,
  INSTRUMENT_PAIRS,
  ORDER_BOOK,
  RATE_LIMIT,
  SERVER_TIME,
  STATUS,
  SYMBOL,
  TICKER,
} from "../../replies/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  decimal,
  described,
  flag,
  integer,
  list,
  long,
  type Members,
  object,
  oneOf,
  only,
  ref,
  signedDecimal,
  text,
  time,
  WORDS,
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

const LIMIT: Members = described(RATE_LIMIT, {
  rateLimitType: text("Kind of the limit.", { enum: ["REQUEST_WEIGHT", "ORDERS"] }),
  interval: text("Time unit of the window.", { enum: ["SECOND", "MINUTE", "DAY"] }),
  intervalNum: integer("Length of the window in that unit."),
  limit: integer("Maximum in one window."),
});

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

const PRICES = {
  symbol: text("Symbol of the market."),
  price: decimal("Last price. Before the first execution, the midpoint of bid and ask."),
  lastPrice: decimal("The same value as price."),
  bid: decimal("Best bid."),
  ask: decimal("Best ask."),
  bidPrice: decimal("Best bid."),
  bidQty: decimal("Quantity at that price."),
  askPrice: decimal("Best ask."),
  askQty: decimal("Quantity at that price."),
  lastUpdateId: text("Id of the quote."),
};

/** Schemas of the public replies. Source: contract, Resources and their fields; convention 5.1 and 5.2. */
export const MARKET_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Empty: object("An empty object.", {}),
  ServerTime: object(
    "The time of the service.",
    described(SERVER_TIME, { serverTime: time("Current time.") }),
  ),
  Status: object(
    "Status of the service.",
    described(STATUS, {
      system: oneOf(
        WORDS.system,
        "degraded: the quotes of a market have stopped, the outcome of a child is unknown, or the store fails. draining: the service accepts no new orders.",
      ),
      reasons: list(
        text("A condition, such as QUOTES_STOPPED."),
        "Conditions for which system is not normal.",
      ),
      serverTime: time("Current time."),
      features: object(
        "Features of the service.",
        described(STATUS.features, {
          leveraged_trading: flag("Whether trading on margin is available."),
          dark_pool_mode: flag("Whether a dark pool is available."),
          bridge_required: flag("Whether a bridge is required."),
          advanced_orders: flag("Whether managed orders and lists are available."),
        }),
      ),
    }),
  ),
  RateLimit: object("A limit.", LIMIT),
  UsedRateLimit: object("A limit and the used part of it.", {
    ...LIMIT,
    count: integer("Amount used in the current window."),
  }),
  Symbol: object(
    "An instrument.",
    described(SYMBOL, {
      id: long("Id of the instrument."),
      symbol: text("Symbol of the instrument."),
      status: text("TRADING if orders are accepted; CANCEL_ONLY if no orders are accepted at all."),
      baseAsset: text("Base asset: the traded asset."),
      quoteAsset: text("Quote asset: the asset that prices are in."),
      name: text("Name of the instrument."),
      kind: text("Kind of the instrument. Only liquidity instruments accept orders.", {
        enum: INSTRUMENT_KINDS,
      }),
      isSpotTradingAllowed: flag("Whether the instrument accepts orders."),
      quantityScale: integer("Number of decimals of quantities."),
      address: text("Address of the traded asset, such as its contract on a blockchain."),
      url: text("Web page about the instrument.", { format: "uri" }),
      baseAssetPrecision: integer("Number of decimals of quantities."),
      quoteAssetPrecision: integer("Number of decimals of prices."),
      orderTypes: list(text("An order type."), "Every name of an order type that the instrument accepts."),
      icebergAllowed: flag("Whether the instrument accepts icebergs."),
      ocoAllowed: flag("Whether the instrument accepts OCO lists."),
      otoAllowed: flag("Whether the instrument accepts OTO and OTOCO lists."),
      filters: list(FILTER, "Filters that orders must pass."),
    }),
  ),
  ExchangeInfo: object(
    "Instruments and limits.",
    described(EXCHANGE_INFO, {
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
  ),
  InstrumentPairs: object(
    "Instruments.",
    described(INSTRUMENT_PAIRS, {
      instrumentPairs: list(ref("Symbol"), "The first instruments, up to the limit of the request."),
    }),
  ),
  Ticker: object(
    "Prices of a market.",
    described(TICKER, {
      ...PRICES,
      closeTime: time("Time of the quote."),
    }),
  ),
  DayTicker: object(
    "Prices of a market, and the volume that this service has executed there in the last day.",
    described(DAY_TICKER, {
      ...PRICES,
      openPrice: decimal("First price of these minutes. Absent, like the next figures, if it is not known."),
      highPrice: decimal("Highest price."),
      lowPrice: decimal("Lowest price."),
      priceChange: signedDecimal("Last price less the first."),
      priceChangePercent: signedDecimal("The same in percent of the first price, rounded down."),
      weightedAvgPrice: decimal("Average price, weighted by quantity; 0 without trades."),
      quoteVolume: decimal("Executed amount in USD."),
      count: long("Number of trades."),
      volume: decimal(
        "Executed quantity of the last 1,440 minutes, in whole minutes, the current minute included.",
      ),
      openTime: time("Start of these minutes."),
      closeTime: time("Current time."),
    }),
  ),
  OrderBook: object(
    "Order book of a market.",
    described(ORDER_BOOK, {
      symbol: text("Symbol of the market."),
      lastUpdateId: text("Id of the quote; 0 if there is no quote yet."),
      seriesId: text("Series of that id. Ids of another series are not comparable with it."),
      bids: BOOK_SIDE,
      asks: BOOK_SIDE,
    }),
  ),
};
