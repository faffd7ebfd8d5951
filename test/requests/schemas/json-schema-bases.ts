import { ORDER_TYPES } from "../../../src/model/index.ts";
import {
  placementFlow,
  type RouteName,
  readAllOrdersPage,
  readCancelAll,
  readDayTickerQuery,
  readDepthQuery,
  readListKey,
  readListPage,
  readListPlacement,
  readNativePlacement,
  readNothing,
  readOpenOrdersPage,
  readOrderAmend,
  readOrderHistoryPage,
  readOrderKey,
  readPairsQuery,
  readPlacement,
  readReplacement,
  readRequestToken,
  readSubscription,
  readTickerQuery,
  readUnsubscription,
  type SessionAct,
} from "../../../src/requests/index.ts";
import type { RequestSchema } from "../../../src/requests/schemas/index.ts";
import type { Parameters } from "../../../src/wire/index.ts";
import { context, type Fields } from "../support.ts";

/** A route or an act of a connection with parameters: its real reader, and valid requests. */
export type Subject = Readonly<{
  read: (parameters: Parameters) => unknown;
  bases: Readonly<Record<string, Fields>>;
}>;

const { resolve } = context;
const ORDER = { symbol: "BTC/USD", side: "SELL", quantity: "1" };
const TRAIL = { trailingDelta: 100 };
const SLOTS = { interval: 60_000, intervalCount: 3 };

/** The required fields of each type beside {@link ORDER}. */
const NEEDS: Readonly<Record<string, Fields>> = {
  SYNTHETIC_LIMIT: { price: "9000" },
  LIMIT_MAKER: { price: "9000" },
  POST_ONLY: { price: "9000" },
  ICEBERG: { price: "9000", icebergQty: "0.5" },
  STOP_MARKET: { stopPrice: "9000" },
  STOP: { stopPrice: "9000" },
  STOP_LOSS: { stopPrice: "9000" },
  STOP_LOSS_LIMIT: { stopPrice: "9000", price: "8900" },
  STOP_LIMIT: { stopPrice: "9000", price: "8900" },
  TAKE_PROFIT_MARKET: { stopPrice: "9000" },
  TAKE_PROFIT: { stopPrice: "9000" },
  TAKE_PROFIT_LIMIT: { stopPrice: "9000", price: "8900" },
  TRAILING_STOP_MARKET: TRAIL,
  TRAILING_STOP: TRAIL,
  TRAILING_STOP_LIMIT: { ...TRAIL, price: "8900" },
  TWAP: SLOTS,
  VWAP: {},
  POV: { participationBips: 1_000 },
};

const typed = (types: readonly string[]): Record<string, Fields> =>
  Object.fromEntries(types.map((type) => [type, { ...ORDER, type, ...NEEDS[type] }]));

const LIMIT = { ...ORDER, type: "LIMIT", price: "9000" };
const MARKET = { ...ORDER, type: "MARKET" };
const { quantity: _quantity, ...BY_AMOUNT } = MARKET;

/** LIMIT in each of its possible meanings. */
const LIMITS = {
  "LIMIT native": LIMIT,
  "LIMIT managed": { ...LIMIT, apiManaged: true },
  "LIMIT post-only": { ...LIMIT, timeInForce: "GTX" },
  "LIMIT as TWAP": { ...LIMIT, targetStrategy: 180, ...SLOTS },
  "LIMIT as VWAP": { ...LIMIT, targetStrategy: 1_000_002 },
  "LIMIT as POV": { ...LIMIT, targetStrategy: 1_000_004, participationBips: 500 },
};

/** The fields of a leg under its prefix. */
export const prefixed = (prefix: string, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      `${prefix}${field.charAt(0).toUpperCase()}${field.slice(1)}`,
      value,
    ]),
  );

const leg = (prefix: string, type: string, own: Fields = {}): Fields =>
  prefixed(prefix, { type, ...(type === "LIMIT" ? { price: "9000" } : NEEDS[type]), ...own });

const PROFITS = ["LIMIT", "SYNTHETIC_LIMIT", "LIMIT_MAKER", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"];
const STOPS = ["STOP", "STOP_LIMIT", "TRAILING_STOP", "TRAILING_STOP_LIMIT"];
const LOW: Fields = { stopPrice: "5000" };

const LIST = { symbol: "BTC/USD", listClientOrderId: "list-1" };
const PAIR = { ...LIST, side: "SELL", quantity: "1" };

const lowered = (type: string): Fields => (type.startsWith("STOP") ? LOW : {});

/** Every profit with one stop, and every stop with one profit. */
const PAIRS = [
  ...PROFITS.map((above) => [above, "STOP"] as const),
  ...STOPS.map((below) => ["LIMIT", below] as const),
];

const ocoBases = Object.fromEntries(
  PAIRS.map(([above, below]) => [
    `${above} above ${below}`,
    { ...PAIR, ...leg("above", above), ...leg("below", below, lowered(below)) },
  ]),
);

const FREE = { side: "SELL", quantity: "1" };
const SINGLE_LEGS = [...PROFITS, ...STOPS, "ICEBERG"];

const otoBases = Object.fromEntries(
  SINGLE_LEGS.map((type) => [
    `LIMIT then ${type}`,
    { ...LIST, ...leg("working", "LIMIT", { side: "BUY", quantity: "1" }), ...leg("pending", type, FREE) },
  ]),
);

const otocoBases = Object.fromEntries(
  SINGLE_LEGS.map((type) => [
    `${type} then LIMIT above STOP`,
    {
      ...LIST,
      ...leg("working", type, FREE),
      pendingSide: "SELL",
      pendingQuantity: "1",
      ...leg("pendingAbove", "LIMIT"),
      ...leg("pendingBelow", "STOP", LOW),
    },
  ]),
);

const STOP_ORDER = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "1", stopPrice: "90" };
const BY_ID = { symbol: "BTC/USD", orderId: 5 };
const BY_NAME = { symbol: "BTC/USD", clOrdId: "a" };
const PLAIN: Readonly<Record<string, Fields>> = { plain: {} };

/** By route or act; routes without parameters are left out. */
export const SUBJECTS: Readonly<Partial<Record<RouteName | SessionAct, Subject>>> = {
  instrumentPairs: { read: readPairsQuery, bases: PLAIN },
  ticker: { read: readTickerQuery, bases: { plain: { symbol: "BTC/USD" } } },
  ticker24hr: { read: readDayTickerQuery, bases: PLAIN },
  depth: { read: readDepthQuery, bases: { plain: { symbol: "BTC/USD" } } },
  "order.place": {
    read: (sent) =>
      placementFlow(sent) === "native" ? readNativePlacement(sent, context) : readPlacement(sent, context),
    bases: {
      ...typed(Object.keys(NEEDS)),
      ...LIMITS,
      MARKET,
      "MARKET by amount": { ...BY_AMOUNT, quoteOrderQty: "500" },
    },
  },
  "order.place.native": {
    read: (sent) => readNativePlacement(sent, context),
    bases: { LIMIT, MARKET },
  },
  "order.status": {
    read: (sent) => readOrderKey(sent, { resolve, exactSymbol: true, purpose: "status" }),
    bases: { id: BY_ID, name: BY_NAME },
  },
  "order.status.scaled": {
    read: (sent) => readOrderKey(sent, { resolve, exactSymbol: true, purpose: "status" }),
    bases: { id: BY_ID, name: BY_NAME },
  },
  "order.cancel": {
    read: (sent) => readOrderKey(sent, { resolve, exactSymbol: false, purpose: "cancel" }),
    bases: { id: BY_ID, name: BY_NAME },
  },
  "order.amend": {
    read: (sent) =>
      readOrderAmend(sent, { resolve, exactSymbol: false, clientId: (field) => `derived-${field}` }),
    bases: {
      id: { ...BY_ID, quantity: "2", price: "100", amendId: "amend-1" },
      name: { ...BY_NAME, trailingDelta: 250, expireTime: 1_790_000_000_000 },
    },
  },
  "order.cancelReplace": {
    read: (sent) => readReplacement(sent, context),
    bases: {
      id: { ...STOP_ORDER, cancelOrderId: -256, cancelReplaceMode: "ALLOW_FAILURE" },
      name: {
        ...{ ...STOP_ORDER, cancelReplaceMode: "STOP_ON_FAILURE", cancelOrigClientOrderId: "a" },
        ...{ cancelRestrictions: "ONLY_NEW", orderRateLimitExceededMode: "DO_NOTHING" },
      },
    },
  },
  allOrders: {
    read: (sent) => readAllOrdersPage(sent, { resolve, exactSymbol: true }),
    bases: { plain: { symbol: "BTC/USD" } },
  },
  orderHistory: { read: (sent) => readOrderHistoryPage(sent, resolve), bases: PLAIN },
  "openOrders.status": { read: readOpenOrdersPage, bases: { plain: { apiManaged: true } } },
  "openOrders.cancelAll": { read: readCancelAll, bases: { plain: { apiManaged: true } } },
  "orderList.place.oco": { read: (sent) => readListPlacement("oco", sent, context), bases: ocoBases },
  "orderList.place.oto": { read: (sent) => readListPlacement("oto", sent, context), bases: otoBases },
  "orderList.place.otoco": { read: (sent) => readListPlacement("otoco", sent, context), bases: otocoBases },
  "orderList.place.legacyOco": {
    read: (sent) => readListPlacement("legacyOco", sent, context),
    bases: {
      stop: { ...PAIR, price: "9000", stopPrice: "5000" },
      "stop-limit": { ...PAIR, price: "9000", stopPrice: "5000", stopLimitPrice: "4900" },
    },
  },
  "orderList.place.bracket": {
    read: (sent) => readListPlacement("bracket", sent, context),
    bases: {
      one: {
        ...LIST,
        ...leg("working", "LIMIT", FREE),
        takeProfit1Price: "9000",
        stopPrice: "9900",
      },
    },
  },
  "orderList.place.oca": {
    read: (sent) => readListPlacement("oca", sent, context),
    bases: { two: { ...PAIR, mode: "REDUCE", ...leg("leg1", "LIMIT"), ...leg("leg2", "STOP", LOW) } },
  },
  "orderList.status": {
    read: (sent) => readListKey(sent, { resolve, purpose: "status" }),
    bases: { id: { orderListId: -5 }, name: { listClientOrderId: "a" } },
  },
  "orderList.cancel": {
    read: (sent) => readListKey(sent, { resolve, purpose: "cancel" }),
    bases: { id: { orderListId: -5 }, name: { origClientOrderId: "a" } },
  },
  "openOrderLists.status": { read: readListPage, bases: PLAIN },
  allOrderLists: { read: readListPage, bases: PLAIN },
  subscribe: { read: readSubscription, bases: PLAIN },
  subscribeByToken: { read: readRequestToken, bases: { plain: { requestToken: "t" } } },
  unsubscribe: { read: readUnsubscription, bases: PLAIN },
  subscriptions: { read: readNothing, bases: PLAIN },
};

/** Every single type has a base. */
export const TYPES_WITHOUT_A_BASE: readonly string[] = ORDER_TYPES.filter(
  (type) => NEEDS[type] === undefined,
);

/** A request schema as one JSON Schema, closed. */
export const wholeSchema = (schema: RequestSchema): object => ({
  type: "object",
  properties: { ...schema.properties, ...Object.fromEntries(schema.unread.map((name) => [name, {}])) },
  required: schema.required,
  additionalProperties: false,
  ...(schema.conditions.length > 0 && { allOf: schema.conditions }),
});
