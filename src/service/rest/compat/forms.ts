import type { Awaitable } from "../../../ports/index.ts";
import type { AnyRoute } from "../../../requests/index.ts";
import type { JsonInput, Parameters } from "../../../wire/index.ts";
import { clientIdsOf } from "../ids.ts";
import type { ServiceParts, SignedCall } from "../parts.ts";
import { depthForClient, exchangeInfoForClient, tickersForClient } from "./market-views.ts";
import { withOwnType } from "./order-types.ts";
import { cachedInstruments } from "./symbols.ts";
import {
  changedForClient,
  listForClient,
  type Members,
  orderForClient,
  ordersForClient,
  tradesForClient,
} from "./views.ts";

/** What is about a request: its parameters and, of a signed one, the call. */
type Requested = Readonly<{ parameters: Parameters; call?: SignedCall }>;

/**
 * How the requests and replies of one route differ from those of the service's own route. Nothing here checks, limits or
 * decides anything: the handler does.
 */
type Form = Readonly<{
  request?: (requested: Requested) => Parameters;
  reply?: (parts: ServiceParts, body: JsonInput, requested: Parameters) => Awaitable<JsonInput>;
}>;

const orderReply: Form["reply"] = (parts, body) => orderForClient(parts, body as Members);
const changeReply: Form["reply"] = async (parts, body) =>
  (await changedForClient(parts, [body as Members]))[0] ?? body;
const ordersReply: Form["reply"] = (parts, body) => ordersForClient(parts, body as readonly Members[]);
const tickersReply: Form["reply"] = (parts, body, requested) => tickersForClient(parts, body, requested);

const placedList = {
  request: withListId,
  reply: (parts: ServiceParts, body: JsonInput): JsonInput => listForClient(parts, body as Members),
};

const FORMS: Readonly<Partial<Record<AnyRoute["name"], Form>>> = {
  exchangeInfo: {
    reply: (parts, body, requested) => exchangeInfoForClient(parts, body as Members, requested),
  },
  depth: { reply: (_parts, body) => depthForClient(body as Members) },
  ticker24hr: { reply: tickersReply },
  "ticker.price": { reply: tickersReply },
  "ticker.book": { reply: tickersReply },
  "order.place": { request: ({ parameters }) => withOwnType(parameters), reply: changeReply },
  "order.test": {
    request: ({ parameters }) => withOwnType(without(parameters, "computeCommissionRates")),
  },
  "order.status": { reply: orderReply },
  "order.cancel": { reply: changeReply },
  "openOrders.market": { reply: ordersReply },
  "openOrders.cancelMarket": { reply: (parts, body) => changedForClient(parts, body as readonly Members[]) },
  "orders.market": { reply: ordersReply },
  myTrades: { reply: (parts, body) => tradesForClient(parts, body as readonly Members[]) },
  "orderList.place.oco": placedList,
  "orderList.place.oto": placedList,
  "orderList.place.otoco": placedList,
  "orderList.place.legacyOco": placedList,
  "orderList.status": { reply: placedList.reply },
  "orderList.cancel": { reply: placedList.reply },
  "openOrderLists.status": { reply: listsReply },
  allOrderLists: { reply: listsReply },
};

/** Returns the parameters of a compat request as the handler of the route reads them. */
export function ownParameters(parts: ServiceParts, name: AnyRoute["name"], requested: Requested): Parameters {
  const parameters = FORMS[name]?.request?.(requested) ?? requested.parameters;
  const symbol = parameters.get("symbol");
  if (symbol === undefined) return parameters;
  const text = parts.clientSymbols.canonical(symbol.text);
  return new Map([...parameters, ["symbol", { ...symbol, text }]]);
}

/** Returns the reply of a handler as clients of the convention read it. */
export function replyForClient(
  parts: ServiceParts,
  name: AnyRoute["name"],
  reply: Readonly<{ body: JsonInput; requested: Parameters }>,
): Awaitable<JsonInput> {
  const own = { ...parts, instruments: cachedInstruments(parts.instruments) };
  return FORMS[name]?.reply?.(own, reply.body, reply.requested) ?? reply.body;
}

function listsReply(parts: ServiceParts, body: JsonInput): Promise<JsonInput> {
  return parts.longAnswers.map(body as readonly Members[], (list) => listForClient(parts, list));
}

/** Names a list that was sent without an id: the convention does not demand one. Source: decision 3. */
function withListId({ parameters, call }: Requested): Parameters {
  if (call === undefined || parameters.has("listClientOrderId")) return parameters;
  const text = clientIdsOf(call)("listClientOrderId");
  return new Map([...parameters, ["listClientOrderId", { text, kind: "text" }]]);
}

function without(parameters: Parameters, name: string): Parameters {
  return new Map([...parameters].filter(([each]) => each !== name));
}
