import type { OrderFields, RouteName, SessionAct, TwinName } from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import { RESTING } from "../support/native-world.ts";
import { FAR_LIMIT, LISTS, place, placeList } from "../support/service-world.ts";
import { NAMES, type SurfaceWorld } from "./world.ts";

/** A successful request of a route, and its answer. */
export type Works = Readonly<{
  /** Returns parameters; each call creates a new order or list, so that placements place and cancels cancel. */
  fields: (world: SurfaceWorld) => RequestParameters | Promise<RequestParameters>;
  /** The reply, in the words of the contract. */
  answers: string;
  /** Its members; those of its first element if it is an array. */
  members: readonly string[];
  /** Orders that it counts as, against the limit of placements. */
  orders: number;
}>;

const reading = (
  answers: string,
  members: readonly string[],
  fields: Works["fields"] = () => ({}),
): Works => ({ fields, answers, members, orders: 0 });

const MANAGED = [
  "orderId",
  "clientOrderId",
  "symbol",
  "status",
  "apiState",
  "origQty",
  "executedQty",
  "type",
];
const LIST = [
  "orderListId",
  "listClientOrderId",
  "contingencyType",
  "listStatusType",
  "orders",
  "orderReports",
];
const NATIVE = [
  "symbol",
  "orderId",
  "clientOrderId",
  "status",
  "type",
  "side",
  "price",
  "origQty",
  "executedQty",
];
const PAGE = ["apiManaged", "includesHistory", "total", "nextOrderId", "orders"];

const symbol = "BTC/USD";
const BY_NAME = (): RequestParameters => ({ symbol, origClientOrderId: NAMES.managed });

const list = (form: keyof typeof LISTS, legs: number): Works => ({
  fields: (world) => ({ listClientOrderId: `surface-${world.next()}`, ...LISTS[form].fields }),
  answers: "order list",
  members: LIST,
  orders: legs,
});

const placing = (fields: RequestParameters, answers: string, members: readonly string[]): Works => ({
  fields: (world) => ({ ...fields, newClientOrderId: `surface-${world.next()}` }),
  answers,
  members,
  orders: 1,
});

async function placedOrder(world: SurfaceWorld): Promise<RequestParameters> {
  return { symbol, orderId: (await place(world)).body.orderId as number };
}

async function placedList(world: SurfaceWorld): Promise<RequestParameters> {
  return { orderListId: (await placeList(world, "oco")).body.orderListId as number };
}

/** One for each route name. */
export const WORKS: Readonly<Record<RouteName | TwinName, Works>> = {
  status: reading("status", ["system", "serverTime", "features"]),
  exchangeInfo: reading("exchange info", ["rateLimits", "exchangeFilters", "serverTime", "symbols"]),
  instrumentPairs: reading("instrument pairs", ["instrumentPairs"]),
  ticker: reading("ticker", ["symbol", "price", "bid", "ask"], () => ({ symbol })),
  ticker24hr: reading("ticker of a day", ["symbol", "lastPrice"], () => ({ symbol })),
  depth: reading("order book", ["symbol", "lastUpdateId", "bids", "asks"], () => ({ symbol })),
  ping: reading("an empty object", []),
  time: reading("server time", ["serverTime"]),
  "ticker.price": reading("last price", ["symbol", "price"], () => ({ symbol })),
  "ticker.book": reading("best prices", ["symbol", "bidPrice", "askQty"], () => ({ symbol })),
  avgPrice: reading("price of a market", ["mins", "price"], () => ({ symbol })),
  "account.status": reading("balances", ["canTrade", "balances"]),
  "order.place": placing(FAR_LIMIT, "managed order", MANAGED),
  "order.place.native": placing(RESTING, "native order with its fills", [...NATIVE.slice(0, 4), "fills"]),
  "order.status": reading("managed or native order", MANAGED, BY_NAME),
  "order.status.scaled": reading(
    "managed or native order, numbers scaled",
    ["orderId", "priceScale", "quantityScale"],
    BY_NAME,
  ),
  "order.cancel": reading("the order after the cancel", [...MANAGED, "origClientOrderId"], placedOrder),
  "order.amend": {
    ...reading("the order after the amend", MANAGED, async ({ engine }) => {
      const { order } = await engine.place({ accountId: 1, order: FAR_LIMIT as object as OrderFields });
      return { symbol, orderId: order.orderId, quantity: "0.02" };
    }),
    orders: 1,
  },
  "order.cancelReplace": {
    fields: async ({ engine, next }) => {
      // A case may keep the engine from placing anything: the order to cancel is then unknown.
      const cancelOrderId = await engine
        .place({ accountId: 1, order: FAR_LIMIT as object as OrderFields })
        .then(({ order }) => order.orderId)
        .catch(() => -1_000_000);
      const newClientOrderId = `surface-${next()}`;
      return { ...FAR_LIMIT, newClientOrderId, cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId };
    },
    answers: "both orders",
    members: ["cancelResult", "newOrderResult", "cancelResponse", "newOrderResponse"],
    orders: 1,
  },
  allOrders: reading("array of native orders", NATIVE, () => ({ symbol })),
  orderHistory: reading("native executions", ["orders"], () => ({ symbol })),
  "openOrders.status": reading("page of managed orders", PAGE, () => ({ apiManaged: true })),
  "openOrders.cancelAll": reading(
    "cancel-all result",
    ["matchedCount", "canceledCount", "cancelPendingCount"],
    () => ({ apiManaged: true }),
  ),
  "orderList.place.oco": list("oco", 2),
  "orderList.place.oto": list("oto", 2),
  "orderList.place.otoco": list("otoco", 3),
  "orderList.place.legacyOco": list("legacyOco", 2),
  "orderList.place.bracket": list("bracket", 3),
  "orderList.place.oca": list("oca", 2),
  "orderList.status": reading("order list", LIST, placedList),
  "orderList.cancel": reading("order list after the cancel", LIST, placedList),
  "openOrderLists.status": reading("array of order lists", LIST),
  allOrderLists: reading("array of order lists", LIST),
};

/** One for each act of a connection. */
export const ACTS: Readonly<Record<SessionAct, Works>> = {
  subscribe: reading("subscription", ["subscriptionId"]),
  subscribeByToken: reading("subscription", ["subscriptionId"], () => ({ requestToken: "token-1" })),
  unsubscribe: reading("an empty object", []),
  subscriptions: reading("array of subscriptions", []),
};
