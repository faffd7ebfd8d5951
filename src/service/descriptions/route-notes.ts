import type { RouteName } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { anyRef, list, ref } from "../views/schema.ts";

/** Description of a route: its tag, its purpose, its reply and an example request. */
export type RouteNote = Readonly<{
  tag: "Market" | "Orders" | "Lists" | "Native orders";
  summary: string;
  about: string;
  reply: JsonSchema;
  /** Present if the route counts new orders and reports the counts in headers. */
  counts?: true;
  /** Name of the schema of its body, if it has one. */
  body?: string;
  /** A valid request. */
  example?: Readonly<Record<string, JsonInput>>;
  /** Explains a weight that depends on parameters. */
  weight?: string;
}>;

const PLACED = {
  tag: "Lists",
  reply: ref("OrderList"),
  counts: true,
} as const;

const IDEMPOTENT =
  "The same id with the same content answers with what is there already; with another content it is refused.";

const STATUS_ABOUT =
  "Of a managed or native order, open or ended, or of a retained rejection. A negative id is a managed order's. A client id alone names a managed order before a native one, and the newest of several.";

const HISTORY_ABOUT =
  "One latest snapshot of each, ids rising. orderId is the lowest id of the page: start at 1 and go on with the last id plus one. Without it the newest are listed.";

/** Descriptions by route. Source: contract, Endpoints. */
export const ROUTE_NOTES: Readonly<Record<RouteName, RouteNote>> = {
  status: {
    tag: "Market",
    summary: "How the service is",
    about: "Whether it takes orders, and what it offers.",
    reply: ref("Status"),
  },
  exchangeInfo: {
    tag: "Market",
    summary: "Instruments and limits",
    about: "Take symbols from here, not from a list of your own.",
    reply: ref("ExchangeInfo"),
  },
  instrumentPairs: {
    tag: "Market",
    summary: "Instruments",
    about: "The first of them, as many as asked for.",
    reply: ref("InstrumentPairs"),
  },
  ticker: {
    tag: "Market",
    summary: "Prices of a market",
    about: "Members for which nothing is known are left out.",
    reply: ref("Ticker"),
  },
  ticker24hr: {
    tag: "Market",
    summary: "Prices and volume of the last day",
    about: "Of one market, or without a symbol of all of them in an array.",
    reply: { oneOf: [ref("DayTicker"), list(ref("DayTicker"), "All markets.")] },
    weight: "2 with a symbol, else 80",
  },
  depth: {
    tag: "Market",
    summary: "Order book of a market",
    about: "A limit above 5000 counts as 5000.",
    reply: ref("OrderBook"),
    weight: "5; 25 for more than 100 levels, 50 for more than 500, 250 for more than 1000",
  },
  ping: {
    tag: "Market",
    summary: "Nothing, quickly",
    about: "Shows that the service answers.",
    reply: ref("Empty"),
  },
  time: {
    tag: "Market",
    summary: "Time of the service",
    about: "What timestamps are compared with.",
    reply: ref("ServerTime"),
  },
  "order.place": {
    tag: "Orders",
    summary: "Place an order",
    about: `A managed order, or a native one: a plain LIMIT or MARKET. LIMIT takes the fields of all that it can be; apiManaged, targetStrategy, icebergQty, an expiry or timeInForce makes it a managed order. ${IDEMPOTENT}`,
    reply: anyRef(["ManagedOrder", "PlacedNativeOrder"]),
    counts: true,
    body: "PlaceOrder",
    example: {
      symbol: "BTC/USD",
      side: "SELL",
      type: "STOP_LOSS",
      quantity: "0.25",
      stopPrice: "63000",
      newClientOrderId: "stop-1",
    },
  },
  "order.place.native": {
    tag: "Native orders",
    summary: "Place a native order",
    about: "A plain LIMIT or MARKET, which the market itself works.",
    reply: ref("PlacedNativeOrder"),
    counts: true,
    body: "PlaceNativeOrder",
    example: {
      symbol: "BTC/USD",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: "0.25",
      price: "6000",
      newClientOrderId: "native-1",
    },
  },
  "order.status": {
    tag: "Orders",
    summary: "Read an order",
    about: STATUS_ABOUT,
    reply: anyRef(["ManagedOrder", "NativeOrder"]),
  },
  "order.status.scaled": {
    tag: "Orders",
    summary: "Read an order, with whole numbers",
    about: `Prices in 1e-8 and quantities in 1e-6 as whole numbers. ${STATUS_ABOUT}`,
    reply: anyRef(["ScaledManagedOrder", "ScaledNativeOrder"]),
    body: "ReadOrder",
    example: { symbol: "BTC/USD", origClientOrderId: "stop-1" },
  },
  "order.cancel": {
    tag: "Orders",
    summary: "Cancel an order",
    about:
      "While a child is in flight the order keeps its status, with cancelPending true. The cancel of a leg is that of its list.",
    reply: anyRef(["CanceledManagedOrder", "CanceledNativeOrder", "CanceledOrderList"]),
  },
  allOrders: {
    tag: "Native orders",
    summary: "List native orders",
    about: HISTORY_ABOUT,
    reply: list(ref("NativeOrder"), "The orders of this page."),
  },
  orderHistory: {
    tag: "Native orders",
    summary: "List executions",
    about: "The newest of them, oldest first.",
    reply: ref("Executions"),
    body: "ReadExecutions",
    example: { symbol: "BTC/USD", limit: 100 },
  },
  "openOrders.status": {
    tag: "Orders",
    summary: "Page through managed orders",
    about: "Over all markets. Pass nextOrderId as afterOrderId for the next page, until it is 0.",
    reply: ref("ManagedOrderPage"),
  },
  "openOrders.cancelAll": {
    tag: "Orders",
    summary: "Cancel all managed orders",
    about: "Over all markets. Children in flight may still fill.",
    reply: ref("CancelAllResult"),
  },
  "orderList.place.oco": {
    ...PLACED,
    summary: "Place a pair of which one leg wins",
    about: `One leg takes the profit, the other protects; the upper level must be above the lower. ${IDEMPOTENT}`,
    body: "PlaceOco",
    example: {
      symbol: "BTC/USD",
      listClientOrderId: "exit-1",
      side: "SELL",
      quantity: "0.25",
      aboveType: "LIMIT",
      abovePrice: "68000",
      belowType: "STOP_LOSS",
      belowStopPrice: "62000",
    },
  },
  "orderList.place.oto": {
    ...PLACED,
    summary: "Place an entry with one order that it releases",
    about: `The pending leg is released when the working leg is filled. ${IDEMPOTENT}`,
    body: "PlaceOto",
    example: {
      symbol: "BTC/USD",
      listClientOrderId: "entry-1",
      workingType: "LIMIT",
      workingSide: "BUY",
      workingQuantity: "0.25",
      workingPrice: "6000",
      pendingType: "STOP_LOSS",
      pendingSide: "SELL",
      pendingQuantity: "0.25",
      pendingStopPrice: "5500",
    },
  },
  "orderList.place.otoco": {
    ...PLACED,
    summary: "Place an entry with a pair that it releases",
    about: `The pair is released when the working leg is filled. ${IDEMPOTENT}`,
    body: "PlaceOtoco",
    example: {
      symbol: "BTC/USD",
      listClientOrderId: "bracket-1",
      workingType: "LIMIT",
      workingSide: "BUY",
      workingQuantity: "0.25",
      workingPrice: "6000",
      pendingSide: "SELL",
      pendingQuantity: "0.25",
      pendingAboveType: "TAKE_PROFIT",
      pendingAboveStopPrice: "68000",
      pendingBelowType: "STOP_LOSS",
      pendingBelowStopPrice: "5500",
    },
  },
  "orderList.place.legacyOco": {
    ...PLACED,
    summary: "Place a limit and a stop of which one wins",
    about: `With stopLimitPrice the stop is a stop-limit. For BUY the stop is above the limit, for SELL below. ${IDEMPOTENT}`,
    body: "PlaceLegacyOco",
    example: {
      symbol: "BTC/USD",
      listClientOrderId: "exit-2",
      side: "SELL",
      quantity: "0.25",
      price: "68000",
      stopPrice: "62000",
    },
  },
  "orderList.status": {
    tag: "Lists",
    summary: "Read a list",
    about: "Open or ended, by its id or yours.",
    reply: ref("OrderList"),
  },
  "orderList.cancel": {
    tag: "Lists",
    summary: "Cancel a list",
    about: "A leg with a child in flight keeps its status, with cancelPending true.",
    reply: ref("CanceledOrderList"),
  },
  "openOrderLists.status": {
    tag: "Lists",
    summary: "List open lists",
    about: "The newest of the range, oldest first.",
    reply: list(ref("OrderList"), "The lists."),
  },
  allOrderLists: {
    tag: "Lists",
    summary: "List lists, open and ended",
    about: "The newest of the range, oldest first.",
    reply: list(ref("OrderList"), "The lists."),
  },
};
