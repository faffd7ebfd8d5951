import type { ReadOf } from "./table.ts";

/** The time of the service. */
export const SERVER_TIME = { serverTime: "time" } as const;

/** Status of the service. */
export const STATUS = {
  system: "SystemState",
  /** Conditions for which it is not normal, such as QUOTES_STOPPED. */
  reasons: "text[]",
  serverTime: "time",
  features: {
    leveraged_trading: "flag",
    dark_pool_mode: "flag",
    bridge_required: "flag",
    /** Whether managed orders and lists are available. */
    advanced_orders: "flag",
  },
} as const;

/** A limit of the service. */
export const RATE_LIMIT = {
  rateLimitType: "text",
  interval: "text",
  intervalNum: "integer",
  limit: "integer",
} as const;

/** An instrument. */
export const SYMBOL = {
  id: "long",
  symbol: "text",
  /** `TRADING` if orders are accepted. */
  status: "text",
  baseAsset: "text",
  quoteAsset: "text",
  name: "text",
  /** `liquidity`, `staking` or `conversion`. Only liquidity instruments accept orders. */
  kind: "text",
  isSpotTradingAllowed: "flag",
  quantityScale: "integer",
  address: "text?",
  url: "text?",
  baseAssetPrecision: "integer",
  quoteAssetPrecision: "integer",
  orderTypes: "text[]",
  icebergAllowed: "flag",
  ocoAllowed: "flag",
  otoAllowed: "flag",
  filters: "filter[]",
} as const;

const ABOUT = { timezone: "text", serverTime: "time" } as const;
const FILTERS = { exchangeFilters: "members[]" } as const;

/** Instruments and limits. */
export const EXCHANGE_INFO: typeof ABOUT & {
  readonly rateLimits: readonly [typeof RATE_LIMIT];
} & typeof FILTERS & {
    readonly symbols: readonly [typeof SYMBOL];
  } = /* @__PURE__ */ Object.assign({}, ABOUT, { rateLimits: [RATE_LIMIT] } as const, FILTERS, {
  symbols: [SYMBOL],
} as const);

/** Instruments. */
export const INSTRUMENT_PAIRS: { readonly instrumentPairs: readonly [typeof SYMBOL] } = {
  instrumentPairs: [SYMBOL],
};

/** Prices of a market. Bid and ask are absent before the first quote. */
export const TICKER = {
  symbol: "text",
  /** Last price; before the first execution, the midpoint of bid and ask. */
  price: "price",
  lastPrice: "price",
  bid: "price?",
  ask: "price?",
  bidPrice: "price?",
  bidQty: "quantity?",
  askPrice: "price?",
  askQty: "quantity?",
  lastUpdateId: "text?",
  closeTime: "time?",
} as const;

const DAY = {
  openPrice: "price?",
  highPrice: "price?",
  lowPrice: "price?",
  priceChange: "signed?",
  priceChangePercent: "signed?",
  weightedAvgPrice: "price?",
  quoteVolume: "decimal?",
  count: "long?",
  volume: "quantity",
  openTime: "time",
  closeTime: "time",
} as const;

type Prices = Readonly<Pick<typeof TICKER, Exclude<keyof typeof TICKER, "closeTime">>>;

/**
 * Prices of a market, and the volume that the service executed there in the last day. The figures of these trades are
 * absent if their prices are not known.
 */
export const DAY_TICKER: Prices & typeof DAY = /* @__PURE__ */ Object.assign({}, TICKER, DAY);

/** Order book of a market, best levels first. */
export const ORDER_BOOK = {
  symbol: "text",
  lastUpdateId: "text",
  /** Series of that number. Numbers of another series are not comparable with it. */
  seriesId: "text?",
  bids: "level[]",
  asks: "level[]",
} as const;

/** The time of the service. */
export interface ServerTimeReply extends ReadOf<typeof SERVER_TIME> {}

/** Status of the service. */
export interface StatusReply extends ReadOf<typeof STATUS> {}

/** A limit of the service. */
export interface RateLimitReply extends ReadOf<typeof RATE_LIMIT> {}

/** An instrument. */
export interface SymbolReply extends ReadOf<typeof SYMBOL> {}

/** Instruments and limits. */
export interface ExchangeInfoReply extends ReadOf<typeof ABOUT>, ReadOf<typeof FILTERS> {
  readonly rateLimits: readonly RateLimitReply[];
  readonly symbols: readonly SymbolReply[];
}

/** Instruments. */
export interface InstrumentPairsReply {
  readonly instrumentPairs: readonly SymbolReply[];
}

/** Prices of a market. Bid and ask are absent before the first quote. */
export interface TickerReply extends ReadOf<typeof TICKER> {}

/**
 * Prices of a market, and the volume that the service executed there in the last day. The figures of these trades are
 * absent if their prices are not known.
 */
export interface DayTickerReply extends TickerReply, ReadOf<typeof DAY> {
  readonly closeTime: number;
}

/** Order book of a market, best levels first. */
export interface OrderBookReply extends ReadOf<typeof ORDER_BOOK> {}
