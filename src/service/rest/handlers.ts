import { afterDecision, OrderError } from "../../errors/index.ts";
import type { AnyRoute } from "../../requests/index.ts";
import type { JsonInput, Parameters } from "../../wire/index.ts";
import { hereOrElsewhere } from "../access/ownership.ts";
import { accountStatus, myTrades } from "./compat/account.ts";
import { ownParameters, replyForClient } from "./compat/forms.ts";
import {
  aggTrades,
  averagePrice,
  bookTicker,
  historicalTrades,
  klines,
  priceTicker,
  trades,
} from "./compat/market.ts";
import { cancelMarketOrders, marketOrders, openMarketOrders } from "./compat/orders.ts";
import {
  allOrderLists,
  cancelOrderList,
  openOrderLists,
  orderListStatus,
  placeList,
} from "./list-handlers.ts";
import { MARKET_HANDLERS, type PublicHandler } from "./market-handlers.ts";
import { allOrders, orderHistory, placeNativeOrder } from "./native-handlers.ts";
import {
  amendOrder,
  amendQuantity,
  cancelAllOrders,
  cancelOrder,
  openOrders,
  orderStatus,
  placeOrder,
  scaledOrderStatus,
  testOrder,
} from "./order-handlers.ts";
import type { Answer, ServiceParts, SignedCall, SignedHandler } from "./parts.ts";
import { replaceOrder } from "./replace-handlers.ts";

const PUBLIC = {
  ...MARKET_HANDLERS,
  "ticker.price": priceTicker,
  "ticker.book": bookTicker,
  avgPrice: averagePrice,
  klines,
  uiKlines: klines,
  trades,
  "trades.historical": historicalTrades,
  aggTrades,
} satisfies Readonly<Partial<Record<AnyRoute["name"], PublicHandler>>>;

type PublicName = keyof typeof PUBLIC;

const SIGNED: Readonly<Record<Exclude<AnyRoute["name"], PublicName>, SignedHandler>> = {
  "order.place": placeOrder,
  "order.place.native": placeNativeOrder,
  "order.status": orderStatus,
  "order.status.scaled": scaledOrderStatus,
  "order.cancel": cancelOrder,
  "order.amend": amendOrder,
  "order.cancelReplace": replaceOrder,
  "order.amend.keepPriority": amendQuantity,
  allOrders,
  orderHistory,
  "openOrders.status": openOrders,
  "openOrders.cancelAll": cancelAllOrders,
  "orderList.place.oco": placeList("oco"),
  "orderList.place.oto": placeList("oto"),
  "orderList.place.otoco": placeList("otoco"),
  "orderList.place.legacyOco": placeList("legacyOco"),
  "orderList.place.bracket": placeList("bracket"),
  "orderList.place.oca": placeList("oca"),
  "orderList.status": orderListStatus,
  "orderList.cancel": cancelOrderList,
  "openOrderLists.status": openOrderLists,
  allOrderLists,
  "order.test": testOrder,
  "openOrders.market": openMarketOrders,
  "openOrders.cancelMarket": cancelMarketOrders,
  "orders.market": marketOrders,
  "account.status": accountStatus,
  myTrades,
};

function isPublic(name: AnyRoute["name"]): name is PublicName {
  return Object.hasOwn(PUBLIC, name);
}

/** Answers a request of a public route. Throws the OrderError of its refusal. */
export async function answerPublic(
  parts: ServiceParts,
  { name, compat }: AnyRoute,
  parameters: Parameters,
): Promise<Answer> {
  if (!isPublic(name)) throw new OrderError("NOT_FOUND");
  if (compat !== true) return { body: await PUBLIC[name](parts, parameters) };
  const body = await PUBLIC[name](parts, ownParameters(parts, name, { parameters }));
  return { body: await replyForClient(parts, name, { body, requested: parameters }) };
}

/**
 * Answers a signed call from any transport. Throws the OrderError of its refusal, and {@link Elsewhere} for an account of
 * another node.
 */
export function answerCall(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { name, compat } = call.route;
  if (isPublic(name)) throw new OrderError("NOT_FOUND");
  const handler = SIGNED[name];
  return hereOrElsewhere(parts, () =>
    compat === true ? answerClient(parts, call, handler) : handler(parts, call),
  );
}

/** Answers a call of the compat prefix: it reads, and is answered, in the convention's own way. */
async function answerClient(parts: ServiceParts, call: SignedCall, handler: SignedHandler): Promise<Answer> {
  const { name } = call.route;
  const { parameters: requested } = call;
  const parameters = ownParameters(parts, name, { parameters: requested, call });
  const { body, ...answer } = await handler(parts, { ...call, parameters });
  const reply = async (): Promise<JsonInput> => await replyForClient(parts, name, { body, requested });
  return { ...answer, body: await (call.route.access === "TRADE" ? afterDecision(reply()) : reply()) };
}
