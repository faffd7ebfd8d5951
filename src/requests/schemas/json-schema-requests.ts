import { LIST_ID_ALIASES, LIST_KEY } from "../list-key.ts";
import { LIST_PAGE } from "../list-page.ts";
import { MARKET_HISTORY } from "../market-history.ts";
import { MARKET_ORDERS } from "../market-orders.ts";
import type { SessionAct } from "../methods.ts";
import { ALL_ORDERS_PAGE, ORDER_HISTORY_PAGE } from "../native-page.ts";
import { CANCEL_ALL, OPEN_ORDERS_PAGE } from "../open-orders.ts";
import { ORDER_ID_ALIASES, ORDER_KEY } from "../order-key.ts";
import { PUBLIC_QUERIES } from "../public-queries.ts";
import type { AnyRoute } from "../routes.ts";
import { SESSION_ACTS } from "../subscriptions.ts";
import { type JsonSchema, type RequestSchema, shapeSchema } from "./json-schema.ts";
import { anyNamed } from "./json-schema-cases.ts";
import { listPlacement } from "./json-schema-lists.ts";
import { compatOrderPlacement, nativePlacement, orderPlacement } from "./json-schema-orders.ts";

const NOTHING: RequestSchema = { properties: {}, required: [], conditions: [], unread: [] };

const ONE_ORDER = anyNamed(["orderId", ...ORDER_ID_ALIASES]);
const ONE_LIST = anyNamed(["orderListId", ...LIST_ID_ALIASES]);

const SCHEMAS: Readonly<Record<AnyRoute["name"] | SessionAct, () => RequestSchema>> = {
  status: () => NOTHING,
  exchangeInfo: () => NOTHING,
  ping: () => NOTHING,
  time: () => NOTHING,
  instrumentPairs: () => shapeSchema(PUBLIC_QUERIES.instrumentPairs),
  ticker: () => shapeSchema(PUBLIC_QUERIES.ticker),
  ticker24hr: () => shapeSchema(PUBLIC_QUERIES.ticker24hr),
  depth: () => shapeSchema(PUBLIC_QUERIES.depth),
  "order.place": orderPlacement,
  "order.place.native": nativePlacement,
  "order.status": () => shapeSchema(ORDER_KEY.status, [ONE_ORDER]),
  "order.status.scaled": () => shapeSchema(ORDER_KEY.status, [ONE_ORDER]),
  "order.cancel": () => shapeSchema(ORDER_KEY.cancel, [ONE_ORDER]),
  allOrders: () => shapeSchema(ALL_ORDERS_PAGE),
  orderHistory: () => shapeSchema(ORDER_HISTORY_PAGE),
  "openOrders.status": () => shapeSchema(OPEN_ORDERS_PAGE),
  "openOrders.cancelAll": () => shapeSchema(CANCEL_ALL),
  "orderList.place.oco": () => listPlacement("oco"),
  "orderList.place.oto": () => listPlacement("oto"),
  "orderList.place.otoco": () => listPlacement("otoco"),
  "orderList.place.legacyOco": () => listPlacement("legacyOco"),
  "orderList.status": () => shapeSchema(LIST_KEY.status, [ONE_LIST]),
  "orderList.cancel": () => shapeSchema(LIST_KEY.cancel, [ONE_LIST]),
  "openOrderLists.status": () => shapeSchema(LIST_PAGE),
  allOrderLists: () => shapeSchema(LIST_PAGE),
  "ticker.price": () => shapeSchema(PUBLIC_QUERIES.ticker24hr),
  "ticker.book": () => shapeSchema(PUBLIC_QUERIES.ticker24hr),
  avgPrice: () => shapeSchema(PUBLIC_QUERIES.ticker),
  klines: klinesQuery,
  uiKlines: klinesQuery,
  trades: () => shapeSchema(MARKET_HISTORY.trades),
  "trades.historical": () => shapeSchema(MARKET_HISTORY["trades.historical"]),
  aggTrades: () => shapeSchema(MARKET_HISTORY.aggTrades),
  "order.test": orderPlacement,
  "openOrders.market": () => shapeSchema(MARKET_ORDERS["openOrders.market"]),
  "openOrders.cancelMarket": () => shapeSchema(MARKET_ORDERS["openOrders.cancelMarket"]),
  "orders.market": () => shapeSchema(ALL_ORDERS_PAGE),
  "account.status": () => shapeSchema(MARKET_ORDERS["account.status"]),
  myTrades: () => shapeSchema(MARKET_ORDERS.myTrades),
  subscribe: () => shapeSchema(SESSION_ACTS.subscribe),
  subscribeByToken: () => shapeSchema(SESSION_ACTS.subscribeByToken),
  unsubscribe: () => shapeSchema(SESSION_ACTS.unsubscribe),
  subscriptions: () => shapeSchema(SESSION_ACTS.subscriptions),
};

/**
 * Returns the schema of the parameters of a route, or of an act of a WebSocket connection. It is made from the rules
 * that read the request: the reader refuses everything that this schema refuses. In a few cases, which need the whole
 * request or the market, the reader refuses more. Source: contract, Order input fields and Endpoints; decision AL.
 *
 * @example
 * ```ts
 * import { requestSchema } from "managed-orders/service";
 * const { properties, required } = requestSchema("openOrders.status");
 * console.log(required.join(), properties.limit?.maximum); // apiManaged 1000
 * ```
 */
export function requestSchema(name: AnyRoute["name"] | SessionAct): RequestSchema {
  return SCHEMAS[name]();
}

const SYMBOLS: JsonSchema = {
  type: "string",
  description: "Names of markets, as a JSON array.",
  examples: ['["BTCUSD","ETHUSD"]'],
};

/** Adds the choice of several markets, which the compat prefix has. */
function ofMarkets({ properties, ...schema }: RequestSchema): RequestSchema {
  return { ...schema, properties: { ...properties, symbols: SYMBOLS } };
}

/** Makes the id of a list optional: the compat prefix generates one. */
function withoutListId({ required, ...schema }: RequestSchema): RequestSchema {
  return { ...schema, required: required.filter((name) => name !== "listClientOrderId") };
}

function withUnread(name: string, { unread, ...schema }: RequestSchema): RequestSchema {
  return { ...schema, unread: [...unread, name] };
}

/** Requests that have another form on the compat prefix. */
const COMPAT_SCHEMAS: Readonly<Partial<Record<AnyRoute["name"], () => RequestSchema>>> = {
  exchangeInfo: () => ofMarkets(shapeSchema(PUBLIC_QUERIES.ticker24hr)),
  ticker24hr: () => withUnread("type", ofMarkets(SCHEMAS.ticker24hr())),
  "ticker.price": () => ofMarkets(SCHEMAS["ticker.price"]()),
  "ticker.book": () => ofMarkets(SCHEMAS["ticker.book"]()),
  "order.place": compatOrderPlacement,
  "order.test": () => withUnread("computeCommissionRates", compatOrderPlacement()),
  "orderList.place.oco": () => withoutListId(listPlacement("oco")),
  "orderList.place.oto": () => withoutListId(listPlacement("oto")),
  "orderList.place.otoco": () => withoutListId(listPlacement("otoco")),
  "orderList.place.legacyOco": () => withoutListId(listPlacement("legacyOco")),
};

/** Returns the schema of the parameters of a route of either prefix. See {@link requestSchema}. */
export function routeSchema({ name, compat }: Pick<AnyRoute, "name" | "compat">): RequestSchema {
  const own = compat === true ? COMPAT_SCHEMAS[name] : undefined;
  return own === undefined ? requestSchema(name) : own();
}

/** Returns the schema of klines, whose interval has another name and other values than that of an order. */
function klinesQuery(): RequestSchema {
  const { properties, required, ...schema } = shapeSchema(MARKET_HISTORY.klines);
  const { klineInterval, ...others } = properties;
  return {
    ...schema,
    properties: { ...others, ...(klineInterval && { interval: klineInterval }) },
    required: required.map((name) => (name === "klineInterval" ? "interval" : name)),
  };
}
