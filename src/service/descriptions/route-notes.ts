import { SUBSCRIBED, SUBSCRIPTION } from "../../replies/index.ts";
import type { AnyRoute, CompatName, SessionAct } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { anyRef, described, integer, list, long, type NotesOf, object, ref, text } from "./schema.ts";

/** Description of a route: its tag, its purpose, its reply and an example request. */
export type RouteNote = Readonly<{
  tag: "Market" | "Orders" | "Lists" | "Native orders" | "Existing clients";
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

/** What is said of a route besides its tag. */
type Note = Omit<RouteNote, "tag">;

/** Returns descriptions with their tag. */
const tagged = <N extends string>(
  tag: RouteNote["tag"],
  notes: Readonly<Record<N, Note>>,
): Readonly<Record<N, RouteNote>> =>
  Object.fromEntries(Object.entries<Note>(notes).map(([name, note]) => [name, { tag, ...note }])) as Record<
    N,
    RouteNote
  >;

const KLINES: Note = {
  summary: "Klines",
  about:
    "Returns bars of the trades of a market, oldest first, the running one included: those from startTime on, or else the newest. Klines that are no longer kept as a whole, or whose prices are unknown, are left out. One without trades has the last price before it.",
  reply: list(ref("CompatKline"), "Klines."),
  weight: "2; 4 for a limit above 500",
};

/** Descriptions of the operations that only the compat prefix has. */
const COMPAT_NOTES: Readonly<Record<CompatName, Note>> = {
  "ticker.price": {
    summary: "Last prices",
    about: "Returns one market. Without a symbol, returns all markets in an array.",
    reply: { oneOf: [ref("CompatPrice"), list(ref("CompatPrice"), "All markets.")] },
    weight: "2 with a symbol, else 4",
  },
  "ticker.book": {
    summary: "Best prices and sizes",
    about: "Returns one market. Without a symbol, returns all quoted markets in an array.",
    reply: { oneOf: [ref("CompatBookTicker"), list(ref("CompatBookTicker"), "All markets.")] },
    weight: "2 with a symbol, else 4",
  },
  avgPrice: {
    summary: "Price of a market",
    about: "Returns the last price. It is no average, so mins is 0.",
    reply: ref("CompatAveragePrice"),
  },
  klines: KLINES,
  uiKlines: KLINES,
  trades: {
    summary: "Newest trades",
    about: "Returns the newest trades of a market since the service started, at most 1,000.",
    reply: list(ref("CompatPublicTrade"), "Trades, in the order in which they were counted."),
    weight: "25; 50 for a limit above 500",
  },
  "trades.historical": {
    summary: "Trades from an id on",
    about: "Returns the same trades as trades, from the one with the id fromId on.",
    reply: list(ref("CompatPublicTrade"), "Trades, in the order in which they were counted."),
    weight: "25; 50 for a limit above 500",
  },
  aggTrades: {
    summary: "Trades in the form of aggregates",
    about: "Returns the same trades as trades: the newest, those of a period, or those from an id on.",
    reply: list(ref("CompatAggTrade"), "Trades, in the order in which they were counted."),
    weight: "4; 8 for a limit above 500",
  },
  "order.test": {
    summary: "Check an order without placing it",
    about:
      "Refuses what a placement would refuse, and returns an empty object otherwise. Nothing is placed or counted. Checks that the host makes of a native order are not made.",
    reply: ref("Empty"),
    body: "TestOrder",
  },
  "order.amend.keepPriority": {
    summary: "Change the quantity of an order",
    about:
      "Changes the quantity of a managed order as an amend does. The order keeps its client id; newClientOrderId is the id of the amend.",
    reply: ref("CompatAmendedOrder"),
    counts: true,
  },
  "openOrders.market": {
    summary: "List the open orders of a market",
    about:
      "Returns managed and native orders, the oldest change first. Without a symbol, all markets. A child of a managed order is not listed.",
    reply: list(ref("CompatOrder"), "Open orders."),
    weight: "6 with a symbol, else 80; 6 for each 100 orders returned, or part of 100, if that is more",
  },
  "openOrders.cancelMarket": {
    summary: "Cancel the open orders of a market",
    about: "Returns what each cancel returned: an order, or the whole list of a leg.",
    reply: list({ oneOf: [ref("CompatOrder"), ref("CompatOrderList")] }, "Canceled orders and lists."),
  },
  "orders.market": {
    summary: "List the orders of a market",
    about:
      "Returns the newest managed and native orders, the oldest change first: those among the newest 1000 managed orders of the account and the newest 1000 native orders of the market, where children count but are not listed. A positive orderId begins a scan of native orders only; it ends at an empty answer.",
    reply: list(ref("CompatOrder"), "Orders."),
    weight: "20; 40 for a limit above 500",
  },
  "account.status": {
    summary: "Balances of the account",
    about: "Returns the balances, if the host reports them.",
    reply: ref("CompatAccount"),
  },
  myTrades: {
    summary: "List fills",
    about:
      "Returns the newest fills of a market, oldest first, among its newest 1000 executions. A fill of a child has the orderId of its managed order.",
    reply: list(ref("CompatTrade"), "Fills."),
    weight: "20; 40 for a limit above 500",
  },
};

const ORDER: JsonSchema = { oneOf: [ref("CompatOrder"), ref("CompatOrderList")] };

/** Replies that have another form on the compat prefix. */
const REPLIES: Readonly<Partial<Record<AnyRoute["name"], JsonSchema>>> = {
  exchangeInfo: ref("CompatExchangeInfo"),
  depth: ref("CompatOrderBook"),
  "order.place": ref("CompatOrder"),
  "order.status": ref("CompatOrder"),
  "order.cancel": ORDER,
  "order.cancelReplace": ref("CompatReplacedOrder"),
  "orderList.place.oco": ref("CompatOrderList"),
  "orderList.place.oto": ref("CompatOrderList"),
  "orderList.place.otoco": ref("CompatOrderList"),
  "orderList.place.legacyOco": ref("CompatOrderList"),
  "orderList.status": ref("CompatOrderList"),
  "orderList.cancel": ref("CompatOrderList"),
  "openOrderLists.status": list(ref("CompatOrderList"), "Lists."),
  allOrderLists: list(ref("CompatOrderList"), "Lists."),
};

const PLACED = {
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
  ...tagged("Market", {
    status: {
      summary: "Status of the service",
      about: "Returns whether the service accepts orders, and its features.",
      reply: ref("Status"),
    },
    exchangeInfo: {
      summary: "Instruments and limits",
      about: "Take symbols from this reply, not from a list of your own.",
      reply: ref("ExchangeInfo"),
    },
    instrumentPairs: {
      summary: "Instruments",
      about: "Returns the first instruments, up to the limit.",
      reply: ref("InstrumentPairs"),
    },
    ticker: {
      summary: "Prices of a market",
      about: "Members without a known value are absent.",
      reply: ref("Ticker"),
    },
    ticker24hr: {
      summary: "Prices and volume of the last day",
      about: "Returns one market. Without a symbol, returns all markets in an array.",
      reply: { oneOf: [ref("DayTicker"), list(ref("DayTicker"), "All markets.")] },
      weight: "2 with a symbol, else 80",
    },
    depth: {
      summary: "Order book of a market",
      about: "A limit above 5000 is treated as 5000.",
      reply: ref("OrderBook"),
      weight: "5; 25 for more than 100 levels, 50 for more than 500, 250 for more than 1000",
    },
    ping: {
      summary: "Connectivity check",
      about: "Returns an empty object. Use it to check that the service answers.",
      reply: ref("Empty"),
    },
    time: {
      summary: "Time of the service",
      about: "Returns the time with which the service compares timestamps.",
      reply: ref("ServerTime"),
    },
  }),
  ...tagged("Orders", {
    "order.place": {
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
    "order.status": {
      summary: "Read an order",
      about: STATUS_ABOUT,
      reply: anyRef(["ManagedOrder", "NativeOrder"]),
    },
    "order.status.scaled": {
      summary: "Read an order, with whole numbers",
      about: `Prices are integers in units of 1e-8, quantities in units of 1e-6. ${STATUS_ABOUT}`,
      reply: anyRef(["ScaledManagedOrder", "ScaledNativeOrder"]),
      body: "ReadOrder",
      example: { symbol: "BTC/USD", origClientOrderId: "stop-1" },
    },
    "order.cancel": {
      summary: "Cancel an order",
      about:
        "While a child is in flight, the order keeps its status and cancelPending is true. Canceling a leg cancels its whole list.",
      reply: anyRef(["CanceledManagedOrder", "CanceledNativeOrder", "CanceledOrderList"]),
    },
    "order.amend": {
      summary: "Amend an order",
      about:
        "Changes the fields that are sent of a managed order, and returns the order. Ids, executions, activation and trailing reference stay. The quantity of a leg of a list changes with that of the legs which share it. Refused for a native order, and while a child of the order or of its list is not settled. The same amendId with the same content is the same amend, also after the order has ended.",
      reply: ref("ManagedOrder"),
      counts: true,
    },
    "order.cancelReplace": {
      summary: "Replace an order",
      about:
        "Places a managed order in place of another, in one step: there is never none of the two, and never both. The new order is checked first; if it is refused, nothing happens. If only one half was done, the answer is -2021, and -2022 if none was; both halves are in its data. While a child of the other order is in flight, that is canceled and the new one is not placed. If the other is unknown or has ended, ALLOW_FAILURE places the new one. The same newClientOrderId with the same content is the same replacement.",
      reply: ref("ReplacedOrder"),
      counts: true,
      body: "PlaceReplacement",
      example: {
        symbol: "BTC/USD",
        cancelReplaceMode: "STOP_ON_FAILURE",
        cancelOrigClientOrderId: "stop-1",
        side: "SELL",
        type: "STOP_LOSS",
        quantity: "0.25",
        stopPrice: "64000",
        newClientOrderId: "stop-2",
      },
    },
    "openOrders.status": {
      summary: "Page through managed orders",
      about:
        "Covers all markets. For the next page, pass nextOrderId as afterOrderId, until nextOrderId is 0.",
      reply: ref("ManagedOrderPage"),
      weight: "6 for each 100 orders of the limit, or part of 100",
    },
    "openOrders.cancelAll": {
      summary: "Cancel all managed orders",
      about: "Covers all markets. Children in flight may still fill.",
      reply: ref("CancelAllResult"),
    },
  }),
  ...tagged("Native orders", {
    "order.place.native": {
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
    allOrders: {
      summary: "List native orders",
      about: HISTORY_ABOUT,
      reply: list(ref("NativeOrder"), "Orders of this page."),
      weight: "20; 40 for a limit above 500",
    },
    orderHistory: {
      summary: "List executions",
      about: "Returns the newest executions, oldest first.",
      reply: ref("Executions"),
      body: "ReadExecutions",
      example: { symbol: "BTC/USD", limit: 100 },
    },
  }),
  ...tagged("Lists", {
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
    "orderList.place.bracket": {
      ...PLACED,
      summary: "Place an entry with a stop and take-profits sized by its fills",
      about: `The exits are active from the first execution of the working leg, and together never execute more than it did. ${IDEMPOTENT}`,
      body: "PlaceBracket",
      example: {
        symbol: "BTC/USD",
        listClientOrderId: "ladder-1",
        workingType: "LIMIT",
        workingSide: "BUY",
        workingQuantity: "0.25",
        workingPrice: "60000",
        takeProfit1Price: "64000",
        takeProfit1ShareBips: 5_000,
        takeProfit2Price: "68000",
        takeProfit2ShareBips: 5_000,
        stopPrice: "55000",
        moveStopAfter: 1,
        moveStopTo: "ENTRY",
      },
    },
    "orderList.place.oca": {
      ...PLACED,
      summary: "Place two to ten orders that share one quantity",
      about: `With REDUCE, an execution of one leaves the others less; with CANCEL, the first that acts ends the others. ${IDEMPOTENT}`,
      body: "PlaceOca",
      example: {
        symbol: "BTC/USD",
        listClientOrderId: "exit-3",
        side: "SELL",
        quantity: "0.25",
        mode: "REDUCE",
        leg1Type: "LIMIT",
        leg1Price: "68000",
        leg2Type: "STOP_LOSS",
        leg2StopPrice: "55000",
      },
    },
    "orderList.status": {
      summary: "Read a list",
      about: "Returns an open or ended list by its id or its client id.",
      reply: ref("OrderList"),
    },
    "orderList.cancel": {
      summary: "Cancel a list",
      about: "A leg with a child in flight keeps its status, and its cancelPending is true.",
      reply: ref("CanceledOrderList"),
    },
    "openOrderLists.status": {
      summary: "List open lists",
      about: "Returns the newest lists of the time range, oldest first.",
      reply: list(ref("OrderList"), "Lists."),
      weight: "6; 12 for a limit above 500",
    },
    allOrderLists: {
      summary: "List lists, open and ended",
      about: "Returns the newest lists of the time range, oldest first.",
      reply: list(ref("OrderList"), "Lists."),
      weight: "20; 40 for a limit above 500",
    },
  }),
  ...tagged("Existing clients", COMPAT_NOTES),
};

/** Returns the description of a route. One of the compat prefix is made of that of the service's own route. */
export function noteOf({ name, compat }: AnyRoute): RouteNote {
  const note = ROUTE_NOTES[name];
  const { body, reply } = note;
  if (compat !== true) return note;
  return {
    ...note,
    tag: "Existing clients",
    reply: REPLIES[name] ?? reply,
    ...(body !== undefined && { body: `Compat${body}` }),
  };
}

/** Description of a method that the connection handles itself. */
export type ActNote = Readonly<{ summary: string; about: string; reply: JsonSchema }>;

const NOTES: NotesOf<typeof SUBSCRIPTION> = {
  subscriptionId: integer("Id of the subscription, unique within this connection."),
  accountId: long("Account whose events the subscription delivers."),
};

const BEGUN = object(
  "The subscription.",
  described(SUBSCRIBED, {
    ...NOTES,
    sequence: long("Sequence number of the last event before the subscription."),
    streamId: text(
      "Id of the event stream. Sequence numbers are comparable only while this id stays the same.",
    ),
  }),
);

/** Descriptions by act. Source: convention 4.5. */
export const ACT_NOTES: Readonly<Record<SessionAct, ActNote>> = {
  subscribe: {
    summary: "Subscribe to the events of an account",
    about: "All later events follow the reply. After a reconnect, query the current state.",
    reply: BEGUN,
  },
  subscribeByToken: {
    summary: "Subscribe with a session token",
    about: "The older push subscription. It works only if the operator issues session tokens.",
    reply: BEGUN,
  },
  unsubscribe: {
    summary: "End one subscription, or all of them",
    about: "The event eventStreamTerminated follows the reply.",
    reply: ref("Empty"),
  },
  subscriptions: {
    summary: "List the subscriptions of this connection",
    about: "Lists the subscriptions, oldest first.",
    reply: list(object("A subscription.", described(SUBSCRIPTION, NOTES)), "The subscriptions."),
  },
};
