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
  text,
  time,
} from "../views/schema.ts";

const LEVEL: JsonSchema = {
  type: "array",
  items: decimal("Price in USD, then quantity."),
  minItems: 2,
  maxItems: 2,
  description: "A level: its price in USD and its quantity.",
};

/** One side of a book, best level first. */
export const BOOK_SIDE: JsonSchema = list(LEVEL, "Levels, best first.");

const RATE_LIMIT: Members = {
  rateLimitType: oneOf(["REQUEST_WEIGHT", "ORDERS"], "What is limited."),
  interval: oneOf(["SECOND", "MINUTE", "DAY"], "Unit of the window."),
  intervalNum: integer("Length of the window in that unit."),
  limit: integer("Most in one window."),
};

const filter = (name: string, description: string, members: Members): JsonSchema =>
  object(description, { filterType: only(name, "Which filter it is."), ...members });

const FILTER: JsonSchema = {
  oneOf: [
    filter("PRICE_FILTER", "What prices may be.", {
      minPrice: decimal("Lowest price."),
      maxPrice: decimal("Highest price."),
      tickSize: decimal("Step."),
    }),
    filter("LOT_SIZE", "What quantities may be.", {
      minQty: decimal("Lowest quantity."),
      maxQty: decimal("Highest quantity."),
      stepSize: decimal("Step."),
    }),
    filter("NOTIONAL", "What an order must be worth.", {
      minNotional: decimal("Least value in USD."),
      applyMinToMarket: flag("It holds for market orders too."),
      avgPriceMins: integer("Minutes of the average price; 0: the price of now."),
    }),
    filter("ICEBERG_PARTS", "How an iceberg may be cut.", { limit: integer("Most parts.") }),
  ],
};

const PRICES: Members = {
  symbol: text("Symbol of the market."),
  price: decimal("Last price; before the first execution the middle of bid and ask."),
  lastPrice: decimal("The same."),
  bid: optional(decimal("Best bid.")),
  ask: optional(decimal("Best ask.")),
  bidPrice: optional(decimal("Best bid.")),
  bidQty: optional(decimal("Quantity there.")),
  askPrice: optional(decimal("Best ask.")),
  askQty: optional(decimal("Quantity there.")),
  lastUpdateId: optional(text("Number of the quote.")),
};

/** Schemas of the public replies. Source: contract, Resources and their fields; convention 5.1 and 5.2. */
export const MARKET_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Empty: object("Nothing.", {}),
  ServerTime: object("The time of the service.", { serverTime: time("Now.") }),
  Status: object("How the service is.", {
    system: oneOf(
      ["normal", "degraded", "draining"],
      "degraded: quotes of a market stopped, the outcome of a child is not known, or the store fails. draining: no new orders.",
    ),
    serverTime: time("Now."),
    features: object("What there is.", {
      leveraged_trading: flag("Trading on margin."),
      dark_pool_mode: flag("A dark pool."),
      bridge_required: flag("Whether a bridge is needed."),
      advanced_orders: flag("Managed orders and lists."),
    }),
  }),
  RateLimit: object("A limit.", RATE_LIMIT),
  UsedRateLimit: object("A limit and what was used of it.", {
    ...RATE_LIMIT,
    count: integer("Used in this window."),
  }),
  Symbol: object("An instrument.", {
    id: long("Id of the instrument."),
    symbol: text("Its symbol."),
    status: text("TRADING when orders are taken; CANCEL_ONLY where none are placed at all."),
    baseAsset: text("What is traded."),
    quoteAsset: text("What it is paid in."),
    name: text("Its name."),
    quantityScale: integer("Decimals of quantities."),
    address: optional(text("Address of what is traded, such as that of its contract on a chain.")),
    url: optional(text("Page about the instrument.", { format: "uri" })),
    baseAssetPrecision: integer("Decimals of quantities."),
    quoteAssetPrecision: integer("Decimals of prices."),
    orderTypes: list(text("A type."), "Types of orders that it takes."),
    icebergAllowed: flag("Whether it takes icebergs."),
    ocoAllowed: flag("Whether it takes OCO lists."),
    otoAllowed: flag("Whether it takes OTO and OTOCO lists."),
    filters: list(FILTER, "What orders must keep to."),
  }),
  ExchangeInfo: object("Instruments and limits.", {
    timezone: only("UTC", "Days begin in it."),
    serverTime: time("Now."),
    rateLimits: list(ref("RateLimit"), "Limits of this service."),
    exchangeFilters: {
      type: "array",
      items: { type: "object" },
      maxItems: 0,
      description: "There are none.",
    },
    symbols: list(ref("Symbol"), "All instruments."),
  }),
  InstrumentPairs: object("Instruments.", {
    instrumentPairs: list(ref("Symbol"), "The first of them, as many as were asked for."),
  }),
  Ticker: object("Prices of a market.", {
    ...PRICES,
    closeTime: optional(time("Time of the quote.")),
  }),
  DayTicker: object("Prices of a market, and what the service itself has executed there in the last day.", {
    ...PRICES,
    volume: decimal(
      "Executed quantity of the last 1,440 minutes, by whole minutes, the running one included.",
    ),
    openTime: time("Where these minutes begin."),
    closeTime: time("Now."),
  }),
  OrderBook: object("Order book of a market.", {
    symbol: text("Symbol of the market."),
    lastUpdateId: text("Number of the quote; 0: there was none yet."),
    bids: BOOK_SIDE,
    asks: BOOK_SIDE,
  }),
};
