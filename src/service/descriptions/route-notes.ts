import type { AnyRoute } from "../../requests/index.ts";
import { COMPAT_NOTES } from "./compat-notes.ts";
import type { RouteNote } from "./route-note.ts";
import { anyRef, list, ref } from "./schema.ts";

const PLACED = {
  tag: "Lists",
  reply: ref("OrderList"),
  counts: true,
} as const;

const IDEMPOTENT =
  "A repeated client id with the same content returns the existing order or list; with different content, the request is refused.";

const STATUS_ABOUT =
  "Returns a managed or native order, open or ended, or a retained rejection. Managed orders have negative ids. A client id alone selects a managed order before a native order, and the newest of several.";

const HISTORY_ABOUT =
  "Returns the latest snapshot of each order, in ascending order of ids. orderId is the lowest id of the page: start with 1 and continue with the last id plus one. Without orderId, the newest orders are listed.";

/** Descriptions by route. Source: contract, Endpoints. */
export const ROUTE_NOTES: Readonly<Record<AnyRoute["name"], RouteNote>> = {
  status: {
    tag: "Market",
    summary: "Status of the service",
    about: "Returns whether the service accepts orders, and its features.",
    reply: ref("Status"),
  },
  exchangeInfo: {
    tag: "Market",
    summary: "Instruments and limits",
    about: "Take symbols from this reply, not from a list of your own.",
    reply: ref("ExchangeInfo"),
  },
  instrumentPairs: {
    tag: "Market",
    summary: "Instruments",
    about: "Returns the first instruments, up to the limit.",
    reply: ref("InstrumentPairs"),
  },
  ticker: {
    tag: "Market",
    summary: "Prices of a market",
    about: "Members without a known value are absent.",
    reply: ref("Ticker"),
  },
  ticker24hr: {
    tag: "Market",
    summary: "Prices and volume of the last day",
    about: "Returns one market. Without a symbol, returns all markets in an array.",
    reply: { oneOf: [ref("DayTicker"), list(ref("DayTicker"), "All markets.")] },
    weight: "2 with a symbol, else 80",
  },
  depth: {
    tag: "Market",
    summary: "Order book of a market",
    about: "A limit above 5000 is treated as 5000.",
    reply: ref("OrderBook"),
    weight: "5; 25 for more than 100 levels, 50 for more than 500, 250 for more than 1000",
  },
  ping: {
    tag: "Market",
    summary: "Connectivity check",
    about: "Returns an empty object. Use it to check that the service answers.",
    reply: ref("Empty"),
  },
  time: {
    tag: "Market",
    summary: "Time of the service",
    about: "Returns the time with which the service compares timestamps.",
    reply: ref("ServerTime"),
  },
  "order.place": {
    tag: "Orders",
    summary: "Place an order",
    about: `Places a managed order, or a native order (a plain LIMIT or MARKET). A LIMIT accepts the fields of all the orders it can be; apiManaged, targetStrategy, icebergQty, an expiry or timeInForce makes it a managed order. ${IDEMPOTENT}`,
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
    about: "Places a plain LIMIT or MARKET order, which the market itself executes.",
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
    about: `Prices are integers in units of 1e-8, quantities in units of 1e-6. ${STATUS_ABOUT}`,
    reply: anyRef(["ScaledManagedOrder", "ScaledNativeOrder"]),
    body: "ReadOrder",
    example: { symbol: "BTC/USD", origClientOrderId: "stop-1" },
  },
  "order.cancel": {
    tag: "Orders",
    summary: "Cancel an order",
    about:
      "While a child is in flight, the order keeps its status and cancelPending is true. Canceling a leg cancels its whole list.",
    reply: anyRef(["CanceledManagedOrder", "CanceledNativeOrder", "CanceledOrderList"]),
  },
  allOrders: {
    tag: "Native orders",
    summary: "List native orders",
    about: HISTORY_ABOUT,
    reply: list(ref("NativeOrder"), "Orders of this page."),
    weight: "20; 40 for a limit above 500",
  },
  orderHistory: {
    tag: "Native orders",
    summary: "List executions",
    about: "Returns the newest executions, oldest first.",
    reply: ref("Executions"),
    body: "ReadExecutions",
    example: { symbol: "BTC/USD", limit: 100 },
  },
  "openOrders.status": {
    tag: "Orders",
    summary: "Page through managed orders",
    about: "Covers all markets. For the next page, pass nextOrderId as afterOrderId, until nextOrderId is 0.",
    reply: ref("ManagedOrderPage"),
    weight: "6 for each 100 orders of the limit, or part of 100",
  },
  "openOrders.cancelAll": {
    tag: "Orders",
    summary: "Cancel all managed orders",
    about: "Covers all markets. Children in flight may still fill.",
    reply: ref("CancelAllResult"),
  },
  "orderList.place.oco": {
    ...PLACED,
    summary: "Place an OCO pair: the first leg to win cancels the other",
    about: `One leg takes the profit, the other protects the position. The upper level must be above the lower level. ${IDEMPOTENT}`,
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
    summary: "Place an entry that releases one order",
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
    summary: "Place an entry that releases an OCO pair",
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
    summary: "Place an OCO pair of a limit and a stop",
    about: `With stopLimitPrice, the stop is a stop-limit order. For BUY, the stop is above the limit; for SELL, it is below. ${IDEMPOTENT}`,
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
    about: "Returns an open or ended list by its id or its client id.",
    reply: ref("OrderList"),
  },
  "orderList.cancel": {
    tag: "Lists",
    summary: "Cancel a list",
    about: "A leg with a child in flight keeps its status, and its cancelPending is true.",
    reply: ref("CanceledOrderList"),
  },
  "openOrderLists.status": {
    tag: "Lists",
    summary: "List open lists",
    about: "Returns the newest lists of the time range, oldest first.",
    reply: list(ref("OrderList"), "Lists."),
    weight: "6; 12 for a limit above 500",
  },
  allOrderLists: {
    tag: "Lists",
    summary: "List lists, open and ended",
    about: "Returns the newest lists of the time range, oldest first.",
    reply: list(ref("OrderList"), "Lists."),
    weight: "20; 40 for a limit above 500",
  },
  ...COMPAT_NOTES,
};
