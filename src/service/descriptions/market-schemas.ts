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
import { decimal, described, flag, integer, list, type Members, object, only, ref, text } from "./schema.ts";

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
  rateLimitType: ["Kind of the limit.", { enum: ["REQUEST_WEIGHT", "ORDERS"] }],
  interval: ["Time unit of the window.", { enum: ["SECOND", "MINUTE", "DAY"] }],
  intervalNum: "Length of the window in that unit.",
  limit: "Maximum in one window.",
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
  symbol: "Symbol of the market.",
  price: "Last price. Before the first execution, the midpoint of bid and ask.",
  lastPrice: "The same value as price.",
  bid: "Best bid.",
  ask: "Best ask.",
  bidPrice: "Best bid.",
  bidQty: "Quantity at that price.",
  askPrice: "Best ask.",
  askQty: "Quantity at that price.",
  lastUpdateId: "Id of the quote.",
};

/** Schemas of the public replies. Source: contract, Resources and their fields; convention 5.1 and 5.2. */
export const MARKET_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Empty: object("An empty object.", {}),
  ServerTime: object("The time of the service.", described(SERVER_TIME, { serverTime: "Current time." })),
  Status: object(
    "Status of the service.",
    described(STATUS, {
      system:
        "degraded: the quotes of a market have stopped, the outcome of a child is unknown, or the store fails. draining: the service accepts no new orders.",
      reasons: list(
        text("A condition, such as QUOTES_STOPPED."),
        "Conditions for which system is not normal.",
      ),
      serverTime: "Current time.",
      features: object(
        "Features of the service.",
        described(STATUS.features, {
          leveraged_trading: "Whether trading on margin is available.",
          dark_pool_mode: "Whether a dark pool is available.",
          bridge_required: "Whether a bridge is required.",
          advanced_orders: "Whether managed orders and lists are available.",
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
      id: "Id of the instrument.",
      symbol: "Symbol of the instrument.",
      status: "TRADING if orders are accepted; CANCEL_ONLY if no orders are accepted at all.",
      baseAsset: "Base asset: the traded asset.",
      quoteAsset: "Quote asset: the asset that prices are in.",
      name: "Name of the instrument.",
      kind: ["Kind of the instrument. Only liquidity instruments accept orders.", { enum: INSTRUMENT_KINDS }],
      isSpotTradingAllowed: "Whether the instrument accepts orders.",
      quantityScale: "Number of decimals of quantities.",
      address: "Address of the traded asset, such as its contract on a blockchain.",
      url: ["Web page about the instrument.", { format: "uri" }],
      baseAssetPrecision: "Number of decimals of quantities.",
      quoteAssetPrecision: "Number of decimals of prices.",
      orderTypes: list(text("An order type."), "Every name of an order type that the instrument accepts."),
      icebergAllowed: "Whether the instrument accepts icebergs.",
      ocoAllowed: "Whether the instrument accepts OCO lists.",
      otoAllowed: "Whether the instrument accepts OTO and OTOCO lists.",
      filters: list(FILTER, "Filters that orders must pass."),
    }),
  ),
  ExchangeInfo: object(
    "Instruments and limits.",
    described(EXCHANGE_INFO, {
      timezone: only("UTC", "Time zone in which a day begins."),
      serverTime: "Current time.",
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
      closeTime: "Time of the quote.",
    }),
  ),
  DayTicker: object(
    "Prices of a market, and the volume that this service has executed there in the last day.",
    described(DAY_TICKER, {
      ...PRICES,
      openPrice: "First price of these minutes. Absent, like the next figures, if it is not known.",
      highPrice: "Highest price.",
      lowPrice: "Lowest price.",
      priceChange: "Last price less the first.",
      priceChangePercent: "The same in percent of the first price, rounded down.",
      weightedAvgPrice: "Average price, weighted by quantity; 0 without trades.",
      quoteVolume: "Executed amount in USD.",
      count: "Number of trades.",
      volume: "Executed quantity of the last 1,440 minutes, in whole minutes, the current minute included.",
      openTime: "Start of these minutes.",
      closeTime: "Current time.",
    }),
  ),
  OrderBook: object(
    "Order book of a market.",
    described(ORDER_BOOK, {
      symbol: "Symbol of the market.",
      lastUpdateId: "Id of the quote; 0 if there is no quote yet.",
      seriesId: "Series of that id. Ids of another series are not comparable with it.",
      bids: BOOK_SIDE,
      asks: BOOK_SIDE,
    }),
  ),
};
