import {
  type Count,
  decimal,
  exactLevels,
  type Flag,
  flag,
  type Id,
  type Levels,
  levels,
  type MaybeCount,
  type MaybeText,
  maybeNumber,
  maybeText,
  number,
  type ReadOf,
  type Text,
  type Texts,
  text,
  texts,
  whole,
} from "./table.ts";

/** The time of the service. */
export const SERVER_TIME = { serverTime: number as Count } as const;

/** Status of the service. */
export const STATUS = {
  system: text as Text<"normal" | "degraded" | "draining">,
  /** Conditions for which it is not normal, such as QUOTES_STOPPED. */
  reasons: texts as Texts,
  serverTime: number as Count,
  features: {
    leveraged_trading: flag as Flag,
    dark_pool_mode: flag as Flag,
    bridge_required: flag as Flag,
    /** Whether managed orders and lists are available. */
    advanced_orders: flag as Flag,
  },
} as const;

/** A limit of the service. */
export const RATE_LIMIT = {
  rateLimitType: text as Text,
  interval: text as Text,
  intervalNum: number as Count,
  limit: number as Count,
} as const;

/** An instrument. */
export const SYMBOL = {
  id: number as Count,
  symbol: text as Text,
  /** `TRADING` if orders are accepted. */
  status: text as Text,
  baseAsset: text as Text,
  quoteAsset: text as Text,
  name: text as Text,
  /** `liquidity`, `staking` or `conversion`. Only liquidity instruments accept orders. */
  kind: text as Text,
  isSpotTradingAllowed: flag as Flag,
  quantityScale: number as Count,
  address: maybeText as MaybeText,
  url: maybeText as MaybeText,
  baseAssetPrecision: number as Count,
  quoteAssetPrecision: number as Count,
  orderTypes: texts as Texts,
  icebergAllowed: flag as Flag,
  ocoAllowed: flag as Flag,
  otoAllowed: flag as Flag,
  filters: [{ filterType: text as Text }],
} as const;

const INFO = { timezone: text as Text, serverTime: number as Count, exchangeFilters: [{}] } as const;

/** Instruments and limits. */
export const EXCHANGE_INFO: typeof INFO & {
  readonly rateLimits: readonly [typeof RATE_LIMIT];
  readonly symbols: readonly [typeof SYMBOL];
} = { ...INFO, rateLimits: [RATE_LIMIT], symbols: [SYMBOL] };

/** Instruments. */
export const INSTRUMENT_PAIRS: { readonly instrumentPairs: readonly [typeof SYMBOL] } = {
  instrumentPairs: [SYMBOL],
};

/** Prices of a market. Bid and ask are absent before the first quote. */
export const TICKER = {
  symbol: text as Text,
  /** Last price; before the first execution, the midpoint of bid and ask. */
  price: text as Text,
  lastPrice: text as Text,
  bid: maybeText as MaybeText,
  ask: maybeText as MaybeText,
  bidPrice: maybeText as MaybeText,
  bidQty: maybeText as MaybeText,
  askPrice: maybeText as MaybeText,
  askQty: maybeText as MaybeText,
  lastUpdateId: maybeText as MaybeText,
  closeTime: maybeNumber as MaybeCount,
} as const;

const DAY = {
  openPrice: maybeText as MaybeText,
  highPrice: maybeText as MaybeText,
  lowPrice: maybeText as MaybeText,
  priceChange: maybeText as MaybeText,
  priceChangePercent: maybeText as MaybeText,
  weightedAvgPrice: maybeText as MaybeText,
  quoteVolume: maybeText as MaybeText,
  count: maybeNumber as MaybeCount,
  volume: text as Text,
  openTime: number as Count,
  closeTime: number as Count,
} as const;

type Prices = Readonly<Pick<typeof TICKER, Exclude<keyof typeof TICKER, "closeTime">>>;

/**
 * Prices of a market, and the volume that the service executed there in the last day. The figures of these trades are
 * absent if their prices are not known.
 */
export const DAY_TICKER: Prices & typeof DAY = { ...TICKER, ...DAY };

/** Order book of a market, best levels first. */
export const ORDER_BOOK = {
  symbol: text as Text,
  lastUpdateId: text as Text,
  /** Series of that number. Numbers of another series are not comparable with it. */
  seriesId: maybeText as MaybeText,
  bids: levels as Levels,
  asks: levels as Levels,
} as const;

/** The time of the service. */
export interface ServerTimeReply extends ReadOf<typeof SERVER_TIME> {}

/** Status of the service. */
export interface StatusReply extends ReadOf<typeof STATUS> {}

/** A limit of the service. */
export interface RateLimitReply extends ReadOf<typeof RATE_LIMIT> {}

/** A filter that orders must pass. Its other members depend on `filterType`. */
export interface FilterReply {
  readonly filterType: string;
  readonly [member: string]: string | number | boolean;
}

/** An empty object. */
export interface EmptyReply {
  readonly [member: string]: unknown;
}

/** An instrument. */
export interface SymbolReply extends ReadOf<Omit<typeof SYMBOL, "filters">> {
  readonly filters: readonly FilterReply[];
}

/** Instruments and limits. */
export interface ExchangeInfoReply extends ReadOf<typeof INFO> {
  readonly rateLimits: readonly RateLimitReply[];
  readonly exchangeFilters: readonly EmptyReply[];
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

/** The best prices of a market after a quote. Source: convention 4.12. */
export const BOOK_TICKER = {
  e: text as Text<"bookTicker">,
  /** Time at which it was sent, in epoch milliseconds. */
  E: number as Count,
  /** Number of the quote. */
  u: whole as Id,
  s: text as Text,
  /** Best bid and its quantity. */
  b: decimal as Text,
  B: decimal as Text,
  /** Best ask and its quantity. */
  a: decimal as Text,
  A: decimal as Text,
} as const;

/** The best twenty levels of each side after a quote, best first. Source: convention 4.12. */
export const PARTIAL_DEPTH = {
  e: text as Text<"depth20">,
  E: number as Count,
  s: text as Text,
  lastUpdateId: whole as Id<string>,
  bids: exactLevels as Levels,
  asks: exactLevels as Levels,
} as const;

/** The changes that one quote made to a book. Source: convention 4.12. */
export const DEPTH_UPDATE = {
  e: text as Text<"depthUpdate">,
  E: number as Count,
  s: text as Text,
  /** First and last number of the quotes. */
  U: whole as Id,
  u: whole as Id,
  /** Series of these numbers. */
  seriesId: maybeText as MaybeText,
  /** Changed levels; quantity `"0"` removes one. */
  b: exactLevels as Levels,
  a: exactLevels as Levels,
} as const;

/** An execution on the service. Source: convention 4.12. */
export const PUBLIC_TRADE = {
  e: text as Text<"trade">,
  E: number as Count,
  s: text as Text,
  /** Number of the execution. */
  t: whole as Id<number | bigint>,
  executionId: text as Text,
  p: decimal as Text,
  q: decimal as Text,
  /** Time of the execution, in epoch milliseconds. */
  T: number as Count,
} as const;

/** The best prices of a market after a quote. */
export interface BookTickerEvent extends ReadOf<typeof BOOK_TICKER> {}

/** The best twenty levels of each side after a quote, best first. */
export interface PartialDepthEvent extends ReadOf<typeof PARTIAL_DEPTH> {}

/** The changes that one quote made to a book. */
export interface DepthEvent extends ReadOf<typeof DEPTH_UPDATE> {}

/** An execution on the service. */
export interface PublicTradeEvent extends ReadOf<typeof PUBLIC_TRADE> {}
