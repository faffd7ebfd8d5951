import {
  flag,
  list,
  maybe,
  members,
  number,
  object,
  type Reader,
  type Shape,
  text,
  WrongType,
} from "./reader.ts";

/** An empty object. */
export interface EmptyReply {
  readonly [member: string]: unknown;
}

/** The time of the service. */
export interface ServerTimeReply {
  readonly serverTime: number;
}

/** Status of the service. */
export interface StatusReply {
  readonly system: "normal" | "degraded" | "draining";
  /** Conditions for which it is not normal, such as QUOTES_STOPPED. */
  readonly reasons: readonly string[];
  readonly serverTime: number;
  readonly features: Readonly<{
    leveraged_trading: boolean;
    dark_pool_mode: boolean;
    bridge_required: boolean;
    /** Whether managed orders and lists are available. */
    advanced_orders: boolean;
  }>;
}

/** A limit of the service. */
export interface RateLimitReply {
  readonly rateLimitType: string;
  readonly interval: string;
  readonly intervalNum: number;
  readonly limit: number;
}

/** A filter that orders must pass. Its other members depend on `filterType`. */
export interface FilterReply {
  readonly filterType: string;
  readonly [member: string]: string | number | boolean;
}

/** An instrument. */
export interface SymbolReply {
  readonly id: number;
  readonly symbol: string;
  /** `TRADING` if orders are accepted. */
  readonly status: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly name: string;
  /** `liquidity`, `staking` or `conversion`. Only liquidity instruments accept orders. */
  readonly kind: string;
  readonly isSpotTradingAllowed: boolean;
  readonly quantityScale: number;
  readonly address?: string | undefined;
  readonly url?: string | undefined;
  readonly baseAssetPrecision: number;
  readonly quoteAssetPrecision: number;
  readonly orderTypes: readonly string[];
  readonly icebergAllowed: boolean;
  readonly ocoAllowed: boolean;
  readonly otoAllowed: boolean;
  readonly filters: readonly FilterReply[];
}

/** Instruments and limits. */
export interface ExchangeInfoReply {
  readonly timezone: string;
  readonly serverTime: number;
  readonly rateLimits: readonly RateLimitReply[];
  readonly exchangeFilters: readonly EmptyReply[];
  readonly symbols: readonly SymbolReply[];
}

/** Instruments. */
export interface InstrumentPairsReply {
  readonly instrumentPairs: readonly SymbolReply[];
}

/** Prices of a market. Bid and ask are absent before the first quote. */
export interface TickerReply {
  readonly symbol: string;
  /** Last price; before the first execution, the midpoint of bid and ask. */
  readonly price: string;
  readonly lastPrice: string;
  readonly bid?: string | undefined;
  readonly ask?: string | undefined;
  readonly bidPrice?: string | undefined;
  readonly bidQty?: string | undefined;
  readonly askPrice?: string | undefined;
  readonly askQty?: string | undefined;
  readonly lastUpdateId?: string | undefined;
  readonly closeTime?: number | undefined;
}

/**
 * Prices of a market, and the volume that the service executed there in the last day. The figures of these trades are
 * absent if their prices are not known.
 */
export interface DayTickerReply extends TickerReply {
  readonly openPrice?: string | undefined;
  readonly highPrice?: string | undefined;
  readonly lowPrice?: string | undefined;
  readonly priceChange?: string | undefined;
  readonly priceChangePercent?: string | undefined;
  readonly weightedAvgPrice?: string | undefined;
  readonly quoteVolume?: string | undefined;
  readonly count?: number | undefined;
  readonly volume: string;
  readonly openTime: number;
  readonly closeTime: number;
}

/** A level of an order book: price, then quantity. */
export type LevelReply = readonly [price: string, quantity: string];

/** Order book of a market, best levels first. */
export interface OrderBookReply {
  readonly symbol: string;
  readonly lastUpdateId: string;
  /** Series of that number. Numbers of another series are not comparable with it. */
  readonly seriesId?: string | undefined;
  readonly bids: readonly LevelReply[];
  readonly asks: readonly LevelReply[];
}

const RATE_LIMIT: Shape<RateLimitReply> = {
  rateLimitType: text,
  interval: text,
  intervalNum: number,
  limit: number,
};

const filter: Reader<FilterReply> = (value, at) => {
  const read = members(value, at);
  text(read.filterType, `${at}.filterType`);
  return read as FilterReply;
};

/** Readers of the members of an instrument. */
export const SYMBOL_SHAPE: Shape<SymbolReply> = {
  id: number,
  symbol: text,
  status: text,
  baseAsset: text,
  quoteAsset: text,
  name: text,
  kind: text,
  isSpotTradingAllowed: flag,
  quantityScale: number,
  address: maybe(text),
  url: maybe(text),
  baseAssetPrecision: number,
  quoteAssetPrecision: number,
  orderTypes: list(text),
  icebergAllowed: flag,
  ocoAllowed: flag,
  otoAllowed: flag,
  filters: list(filter),
};

const symbols = list(object(SYMBOL_SHAPE));

/** Readers of the members of exchangeInfo. */
export const EXCHANGE_INFO_SHAPE: Shape<ExchangeInfoReply> = {
  timezone: text,
  serverTime: number,
  rateLimits: list(object(RATE_LIMIT)),
  exchangeFilters: list(members),
  symbols,
};

/** Readers of the members of the instrument pairs. */
export const PAIRS_SHAPE: Shape<InstrumentPairsReply> = { instrumentPairs: symbols };

/** Readers of the members of the server's time. */
export const TIME_SHAPE: Shape<ServerTimeReply> = { serverTime: number };

/** Readers of the members of the status. */
export const STATUS_SHAPE: Shape<StatusReply> = {
  system: text<StatusReply["system"]>,
  reasons: list(text),
  serverTime: number,
  features: object<StatusReply["features"]>({
    leveraged_trading: flag,
    dark_pool_mode: flag,
    bridge_required: flag,
    advanced_orders: flag,
  }),
};

/** Readers of the members of a ticker. */
export const TICKER_SHAPE: Shape<TickerReply> = {
  symbol: text,
  price: text,
  lastPrice: text,
  bid: maybe(text),
  ask: maybe(text),
  bidPrice: maybe(text),
  bidQty: maybe(text),
  askPrice: maybe(text),
  askQty: maybe(text),
  lastUpdateId: maybe(text),
  closeTime: maybe(number),
};

/** Readers of the members of a day ticker. */
export const DAY_TICKER_SHAPE: Shape<DayTickerReply> = {
  ...TICKER_SHAPE,
  openPrice: maybe(text),
  highPrice: maybe(text),
  lowPrice: maybe(text),
  priceChange: maybe(text),
  priceChangePercent: maybe(text),
  weightedAvgPrice: maybe(text),
  quoteVolume: maybe(text),
  count: maybe(number),
  volume: text,
  openTime: number,
  closeTime: number,
};

const level: Reader<LevelReply> = (value, at) => {
  const [price, quantity, ...more] = list(text)(value, at);
  if (price === undefined || quantity === undefined || more.length > 0) throw new WrongType(at);
  return [price, quantity];
};

/** Readers of the members of an order book. */
export const BOOK_SHAPE: Shape<OrderBookReply> = {
  symbol: text,
  lastUpdateId: text,
  seriesId: maybe(text),
  bids: list(level),
  asks: list(level),
};
