import type { AnyRoute, CompatName } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { RouteNote } from "./route-note.ts";
import { list, ref } from "./schema.ts";

const TAG = { tag: "Existing clients" } as const;

const KLINES: RouteNote = {
  ...TAG,
  summary: "Klines",
  about:
    "Returns bars of the trades of a market, oldest first, the running one included: those from startTime on, or else the newest. Klines that are no longer kept as a whole, or whose prices are unknown, are left out. One without trades has the last price before it.",
  reply: list(ref("CompatKline"), "Klines."),
  weight: "2; 4 for a limit above 500",
};

/** Descriptions of the operations that only the compat prefix has. Source: decisions NA to NE. */
export const COMPAT_NOTES: Readonly<Record<CompatName, RouteNote>> = {
  "ticker.price": {
    ...TAG,
    summary: "Last prices",
    about: "Returns one market. Without a symbol, returns all markets in an array.",
    reply: { oneOf: [ref("CompatPrice"), list(ref("CompatPrice"), "All markets.")] },
    weight: "2 with a symbol, else 4",
  },
  "ticker.book": {
    ...TAG,
    summary: "Best prices and sizes",
    about: "Returns one market. Without a symbol, returns all quoted markets in an array.",
    reply: { oneOf: [ref("CompatBookTicker"), list(ref("CompatBookTicker"), "All markets.")] },
    weight: "2 with a symbol, else 4",
  },
  avgPrice: {
    ...TAG,
    summary: "Price of a market",
    about: "Returns the last price. It is no average, so mins is 0.",
    reply: ref("CompatAveragePrice"),
  },
  klines: KLINES,
  uiKlines: KLINES,
  trades: {
    ...TAG,
    summary: "Newest trades",
    about: "Returns the newest trades of a market since the service started, at most 1,000.",
    reply: list(ref("CompatPublicTrade"), "Trades, in the order in which they were counted."),
    weight: "25; 50 for a limit above 500",
  },
  "trades.historical": {
    ...TAG,
    summary: "Trades from an id on",
    about: "Returns the same trades as trades, from the one with the id fromId on.",
    reply: list(ref("CompatPublicTrade"), "Trades, in the order in which they were counted."),
    weight: "25; 50 for a limit above 500",
  },
  aggTrades: {
    ...TAG,
    summary: "Trades in the form of aggregates",
    about: "Returns the same trades as trades: the newest, those of a period, or those from an id on.",
    reply: list(ref("CompatAggTrade"), "Trades, in the order in which they were counted."),
    weight: "4; 8 for a limit above 500",
  },
  "order.test": {
    ...TAG,
    summary: "Check an order without placing it",
    about:
      "Refuses what a placement would refuse, and returns an empty object otherwise. Nothing is placed or counted. Checks that the host makes of a native order are not made.",
    reply: ref("Empty"),
    body: "TestOrder",
  },
  "openOrders.market": {
    ...TAG,
    summary: "List the open orders of a market",
    about:
      "Returns managed and native orders, the oldest change first. Without a symbol, all markets. A child of a managed order is not listed.",
    reply: list(ref("CompatOrder"), "Open orders."),
    weight: "6 with a symbol, else 80; 6 for each 100 orders returned, or part of 100, if that is more",
  },
  "openOrders.cancelMarket": {
    ...TAG,
    summary: "Cancel the open orders of a market",
    about: "Returns what each cancel returned: an order, or the whole list of a leg.",
    reply: list({ oneOf: [ref("CompatOrder"), ref("CompatOrderList")] }, "Canceled orders and lists."),
  },
  "orders.market": {
    ...TAG,
    summary: "List the orders of a market",
    about:
      "Returns the newest managed and native orders, the oldest change first: those among the newest 1000 managed orders of the account and the newest 1000 native orders of the market, where children count but are not listed. A positive orderId begins a scan of native orders only; it ends at an empty answer.",
    reply: list(ref("CompatOrder"), "Orders."),
    weight: "20; 40 for a limit above 500",
  },
  "account.status": {
    ...TAG,
    summary: "Balances of the account",
    about: "Returns the balances, if the host reports them.",
    reply: ref("CompatAccount"),
  },
  myTrades: {
    ...TAG,
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
  "orderList.place.oco": ref("CompatOrderList"),
  "orderList.place.oto": ref("CompatOrderList"),
  "orderList.place.otoco": ref("CompatOrderList"),
  "orderList.place.legacyOco": ref("CompatOrderList"),
  "orderList.status": ref("CompatOrderList"),
  "orderList.cancel": ref("CompatOrderList"),
  "openOrderLists.status": list(ref("CompatOrderList"), "Lists."),
  allOrderLists: list(ref("CompatOrderList"), "Lists."),
};

/** Returns the description of a route of the compat prefix, from that of the service's own route. */
export function compatNote(route: AnyRoute, note: RouteNote): RouteNote {
  const { body, reply } = note;
  return {
    ...note,
    ...TAG,
    reply: REPLIES[route.name] ?? reply,
    ...(body !== undefined && { body: `Compat${body}` }),
  };
}
