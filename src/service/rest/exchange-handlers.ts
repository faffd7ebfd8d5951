import { formatNotional, notional } from "../../decimal/index.ts";
import type { EngineSettings } from "../../engine/index.ts";
import type { Instrument } from "../../model/index.ts";
import { CANONICAL_TYPES, readPairsQuery } from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import { rateLimitItems } from "../access/rate-limits.ts";
import type { HostFeatures } from "./api.ts";
import type { ServiceParts } from "./parts.ts";

/** GET /api/ping. Source: decision 43. */
export function ping(): JsonInput {
  return {};
}

/** GET /api/time: returns the time of the engine's clock in epoch milliseconds. Source: decision 43. */
export function time(parts: ServiceParts): JsonInput {
  return { serverTime: parts.clock.nowMs() };
}

/**
 * GET /api/status. `draining`: no new orders are taken. `degraded`: quotes stopped, the outcome of a child is unknown,
 * the store fails, or another engine owns a shard. Otherwise `normal`. `reasons` has the kinds alone: their details are
 * for an operator. Source: contract, Status; decisions 48 and EC.
 */
export function status(parts: ServiceParts): JsonInput {
  const { system, reasons } = parts.engine.status();
  return {
    system,
    reasons: reasons.map(({ kind }) => kind),
    serverTime: parts.clock.nowMs(),
    features: {
      ...NO_FEATURES,
      ...parts.settings.features,
      advanced_orders: takesAdvanced(parts),
    },
  };
}

/** Whether advanced orders are taken: otherwise they are refused with 404 -1020 (decision 14). */
function takesAdvanced({ engine }: Pick<ServiceParts, "engine">): boolean {
  const { advancedOrders, liquidityMode } = engine.settings;
  return advancedOrders && liquidityMode;
}

const NO_FEATURES: Required<HostFeatures> = {
  leveraged_trading: false,
  dark_pool_mode: false,
  bridge_required: false,
};

/** GET /api/exchangeInfo. Source: contract, Exchange info; decisions 42 and 43; convention 5.1 and 5.2. */
export function exchangeInfo(parts: ServiceParts): JsonInput {
  const { limits } = parts.rateLimiter;
  return {
    timezone: "UTC",
    serverTime: parts.clock.nowMs(),
    rateLimits: limits === undefined ? [] : Object.values(rateLimitItems(limits)),
    exchangeFilters: [],
    symbols: symbolsOf(parts),
  };
}

/** GET /api/getInstrumentPairs: returns the first `limit` instruments. Source: contract, Public market data. */
export function instrumentPairs(parts: ServiceParts, parameters: Parameters): JsonInput {
  const { limit } = readPairsQuery(parameters);
  return { instrumentPairs: symbolsOf(parts).slice(0, limit) };
}

/**
 * Returns every name of a type that is accepted. LIMIT is one even without native orders, because apiManaged=true makes
 * it managed; MARKET is native only (decision 32). Where advanced orders are refused, only native ones are listed.
 */
const typesOf = (parts: Pick<ServiceParts, "native" | "engine">): readonly string[] => {
  const isAdvanced = takesAdvanced(parts);
  const isNative = parts.native !== undefined;
  return [
    ...(isAdvanced || isNative ? ["LIMIT"] : []),
    ...(isNative ? ["MARKET"] : []),
    ...(isAdvanced ? CANONICAL_TYPES.keys() : []),
  ];
};

/** Order types and filters of a liquidity market. */
type Tradable = Readonly<{
  orderTypes: readonly string[];
  isAdvanced: boolean;
  filters: readonly JsonInput[];
}>;

function symbolsOf(parts: ServiceParts): readonly JsonInput[] {
  const { engine, instruments } = parts;
  const isAdvanced = takesAdvanced(parts);
  const tradable = { orderTypes: typesOf(parts), isAdvanced, filters: filtersOf(engine.settings) };
  return instruments.all().map((instrument) => symbolOf(instrument, tradable));
}

/**
 * Returns the description of an instrument. Its filters state what placement enforces. An instrument that takes no
 * orders has neither types nor filters and is never shown as TRADING. Orders that a client still holds on it can be
 * read and canceled.
 */
function symbolOf(instrument: Instrument, { orderTypes, isAdvanced, filters }: Tradable): JsonInput {
  const { id, symbol, status, baseAsset, quoteAsset, name, kind, address, url } = instrument;
  const tradable = kind === "liquidity";
  return {
    id,
    symbol,
    status: tradable || status !== "TRADING" ? status : "CANCEL_ONLY",
    baseAsset,
    quoteAsset,
    name,
    kind,
    isSpotTradingAllowed: tradable,
    quantityScale: 6,
    ...(address !== undefined && { address }),
    ...(url !== undefined && { url }),
    baseAssetPrecision: 6,
    quoteAssetPrecision: 8,
    orderTypes: tradable ? orderTypes : [],
    icebergAllowed: tradable && isAdvanced,
    ocoAllowed: tradable && isAdvanced,
    otoAllowed: tradable && isAdvanced,
    filters: tradable ? filters : [],
  };
}

/**
 * Returns the filters: the bounds and steps of decision 7, the opening minimum, and the limit of iceberg parts if there
 * is one.
 */
function filtersOf({ minimumNotional, maxIcebergParts }: EngineSettings): readonly JsonInput[] {
  const minimum = formatNotional(notional(minimumNotional));
  return [
    {
      filterType: "PRICE_FILTER",
      minPrice: "0.00000001",
      maxPrice: "9999999999.99999999",
      tickSize: "0.00000001",
    },
    { filterType: "LOT_SIZE", minQty: "0.000001", maxQty: "999999999999.999999", stepSize: "0.000001" },
    { filterType: "NOTIONAL", minNotional: minimum, applyMinToMarket: true, avgPriceMins: 0 },
    ...(maxIcebergParts > 0 ? [{ filterType: "ICEBERG_PARTS", limit: maxIcebergParts }] : []),
  ];
}
