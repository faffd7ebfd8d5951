import {
  add,
  formatNotional,
  formatQuantity,
  type Notional,
  notionalOf,
  Price,
  Quantity,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../../decimal/index.ts";
import { OrderError } from "../../../errors/index.ts";
import type { NativeExecution } from "../../../model/index.ts";
import type { Awaitable } from "../../../ports/index.ts";
import type { AnyRoute } from "../../../requests/index.ts";
import type { JsonInput, Parameters } from "../../../wire/index.ts";
import { clientIdsOf } from "../look-ups.ts";
import { type ServiceParts, type SignedCall, textsIn } from "../parts.ts";
import {
  cachedInstruments,
  compatSymbol,
  symbolForClient,
  typeForClient,
  typesForClient,
  withOwnType,
} from "./names.ts";

/** An object of a reply. */
export type Members = Readonly<Record<string, JsonInput | undefined>>;

/** Executions of a native order: their sum in USD if all are known, and the time of the order's acceptance. */
type Executed = Readonly<{ quote?: string | undefined; timeMs?: number | undefined }>;

/** Executions of native orders by the orders' ids. */
type ExecutedOrders = ReadonlyMap<string, Executed>;

/** Executions that one page may sum up. */
const MOST_EXECUTIONS = 1_000;

/**
 * Returns replies about orders and lists as clients of the convention read them: their name of the market, the convention's
 * name of the type, and the members that they read. All other members stay. `cummulativeQuoteQty` is the sum that the host
 * reports, else that of the fills; it and `time` are left out if the host no longer knows them. The native orders are of
 * one account and market. Source: convention 3.1-3.3.
 */
async function ordersForClient(
  parts: ServiceParts,
  orders: readonly Members[],
  executions: Promise<ExecutedOrders> = executedOf(parts, orders),
): Promise<readonly Members[]> {
  const executed = await executions;
  return await parts.longAnswers.map(orders, (one) =>
    "orderReports" in one
      ? listForClient(parts, one)
      : shownOrder(parts, one, executed.get(String(one.orderId)) ?? {}),
  );
}

/**
 * Returns the replies about orders and lists that were just placed or canceled. If the host fails to tell the executions
 * now, what depends on them is left out: an error would say that nothing was done.
 */
const changedForClient = (parts: ServiceParts, changed: readonly Members[]): Promise<readonly Members[]> =>
  ordersForClient(
    parts,
    changed,
    executedOf(parts, changed).catch(() => new Map()),
  );

/** Returns a list with its legs as {@link ordersForClient} shows them. */
function listForClient(parts: ServiceParts, list: Members): Members {
  const { orders = [], orderReports = [] } = list as Readonly<Record<string, readonly Members[]>>;
  const symbol = symbolForClient(parts, String(list.symbol));
  return {
    ...list,
    symbol,
    orders: orders.map((leg) => ({ ...leg, symbol })),
    orderReports: orderReports.map((leg) => shownOrder(parts, leg, {})),
  };
}

function shownOrder(parts: ServiceParts, order: Members, { quote, timeMs }: Executed): Members {
  const type = typeForClient({ type: String(order.type), stopPrice: order.stopPrice });
  return merged(order, {
    symbol: symbolForClient(parts, String(order.symbol)),
    ...(order.type !== undefined && { type }),
    price: order.price ?? "0",
    stopPrice: order.stopPrice ?? "0",
    icebergQty: order.icebergQty ?? "0",
    origQuoteOrderQty: order.origQuoteOrderQty ?? "0",
    cummulativeQuoteQty: order.cummulativeQuoteQty ?? quoteOfFills(order) ?? quote,
    time: order.apiManaged === true ? order.transactTime : timeMs,
    selfTradePreventionMode: "NONE",
  });
}

/**
 * Returns an object with the members of both; those of `further` count. For objects of 30 members, spreading takes tens
 * of microseconds, and an answer may have thousands of them.
 */
function merged(members: Members, further: Members): Members {
  return Object.assign({}, members, further);
}

/** Returns the sum in USD that a reply proves by itself: nothing is filled, or it lists all fills. */
function quoteOfFills({ executedQty, fills }: Members): string | undefined {
  if (executedQty === "0") return "0";
  if (!Array.isArray(fills)) return undefined;
  const listed = fills as readonly Readonly<{ price: string; qty: string }>[];
  return formatNotional(
    sumOf(listed.map(({ price, qty }) => [Price.parse(price), Quantity.parse(qty)])).quote,
  );
}

type FillAmounts = readonly [price: Price, quantity: Quantity];

function sumOf(fills: readonly FillAmounts[]): Readonly<{ quantity: Quantity; quote: Notional }> {
  return fills.reduce(
    (sum, [price, quantity]) => ({
      quantity: add(sum.quantity, quantity),
      quote: add(sum.quote, notionalOf(price, quantity)),
    }),
    { quantity: ZERO_QUANTITY, quote: ZERO_NOTIONAL },
  );
}

/** Returns whether a reply is about a native order whose fills it does not list. */
function isExecutedNative({ orderId, apiManaged, fills }: Members): boolean {
  return orderId !== undefined && apiManaged !== true && fills === undefined;
}

/**
 * Asks the host for the executions of native orders, at most 1,000 for all of them. A sum counts only if it accounts for
 * the whole executed quantity.
 */
async function executedOf({ native }: ServiceParts, shown: readonly Members[]): Promise<ExecutedOrders> {
  const orders = shown.filter(isExecutedNative);
  const [first] = orders;
  if (native === undefined || first === undefined) return new Map();
  const markets = new Set(orders.map(({ symbol }) => String(symbol)));
  const found = await native.executions({
    accountId: first.accountId as number,
    ...(markets.size === 1 && { symbol: String(first.symbol) }),
    ...(orders.length === 1 && { orderId: first.orderId as bigint }),
    limit: MOST_EXECUTIONS,
  });
  const byOrder = byOrderId(found);
  return new Map(
    orders.map((order) => {
      const own = byOrder.get(order.orderId as bigint) ?? [];
      const fills = own.flatMap(({ lastPrice, lastQuantity }) =>
        lastPrice === undefined || lastQuantity === undefined ? [] : [[lastPrice, lastQuantity] as const],
      );
      const { quantity, quote } = sumOf(fills);
      const isWhole = formatQuantity(quantity) === order.executedQty;
      const timeMs = own.find(({ execType }) => execType === "NEW")?.timeMs;
      return [String(order.orderId), { quote: isWhole ? formatNotional(quote) : undefined, timeMs }];
    }),
  );
}

function byOrderId(executions: readonly NativeExecution[]): ReadonlyMap<bigint, readonly NativeExecution[]> {
  const found = new Map<bigint, NativeExecution[]>();
  for (const execution of executions) {
    const known = found.get(execution.order.orderId);
    if (known === undefined) found.set(execution.order.orderId, [execution]);
    else known.push(execution);
  }
  return found;
}

/** Orders of the convention that a market takes. Trailing is a distance of a stop or take-profit. */
const FLAGS = {
  opoAllowed: false,
  quoteOrderQtyMarketAllowed: true,
  allowTrailingStop: true,
  cancelReplaceAllowed: true,
  amendAllowed: true,
  pegInstructionsAllowed: false,
  isMarginTradingAllowed: false,
  permissions: [],
  permissionSets: [["SPOT"]],
  defaultSelfTradePreventionMode: "NONE",
  allowedSelfTradePreventionModes: ["NONE"],
} as const;

/**
 * Returns exchangeInfo with the members that clients of the convention read of each symbol, for all symbols or for those
 * asked for. Source: convention 5.1.
 */
function exchangeInfoForClient(parts: ServiceParts, info: Members, requested: Parameters): Members {
  const symbols = info.symbols as readonly Members[];
  return {
    ...info,
    symbols: onlyRequested(parts, symbols, requested).map((each) => symbolMembers(parts, each)),
  };
}

function symbolMembers(parts: ServiceParts, own: Members): Members {
  const instrument = parts.instruments.find(String(own.symbol));
  const { quoteAssetPrecision, baseAssetPrecision, orderTypes } = own;
  const types = typesForClient(orderTypes as readonly string[]);
  return merged(merged(own, FLAGS), {
    symbol: instrument === undefined ? own.symbol : compatSymbol(parts, instrument),
    quotePrecision: quoteAssetPrecision,
    baseCommissionPrecision: baseAssetPrecision,
    quoteCommissionPrecision: quoteAssetPrecision,
    orderTypes: types,
    isSpotTradingAllowed: types.length > 0,
    quoteOrderQtyMarketAllowed: parts.native !== undefined,
  });
}

/** Returns the order book with a numeric update id, as clients of the convention compare it. */
function depthForClient({ lastUpdateId, bids, asks }: Members): Members {
  return { lastUpdateId: Number.parseInt(String(lastUpdateId), 10), bids, asks };
}

/** Returns a row under the client's name of its market. */
const renamed = (parts: ServiceParts, row: Members): Members => ({
  ...row,
  symbol: symbolForClient(parts, String(row.symbol)),
});

/** Returns one ticker, or all of those asked for, under the client's names of the markets. */
function tickersForClient(parts: ServiceParts, body: JsonInput, requested: Parameters): JsonInput {
  const shown = (ticker: Members): Members => renamed(parts, ticker);
  if (!Array.isArray(body)) return shown(body as Members);
  return onlyRequested(parts, body, requested).map(shown);
}

/**
 * Returns the rows of the markets that `symbol` or `symbols` names, or all rows. Throws an OrderError -1121 at the first
 * unknown name.
 */
function onlyRequested(
  parts: ServiceParts,
  rows: readonly Members[],
  requested: Parameters,
): readonly Members[] {
  const names = requestedNames(requested);
  if (names === undefined) return rows;
  const symbols = new Set<string>();
  for (const name of new Set(names)) {
    const symbol = parts.clientSymbols.canonical(name);
    if (parts.instruments.find(symbol) === undefined) throw new OrderError("BAD_SYMBOL", { field: "symbol" });
    symbols.add(symbol);
  }
  return rows.filter(({ symbol }) => symbols.has(String(symbol)));
}

const LIST = 'Send a JSON array of symbols, such as ["BTCUSD","ETHUSD"].';

/** Reads the names in `symbol`, or in `symbols`, which is a JSON array. Throws an OrderError -1130 for anything else. */
function requestedNames(requested: Parameters): readonly string[] | undefined {
  const one = requested.get("symbol")?.text;
  if (one !== undefined) return [one];
  const many = requested.get("symbols")?.text;
  if (many === undefined) return undefined;
  const names = textsIn(many);
  if (names !== undefined) return names;
  throw new OrderError("INVALID_PARAMETER", { field: "symbols", advice: LIST });
}

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

const orderReply: Form["reply"] = async (parts, body) =>
  (await ordersForClient(parts, [body as Members]))[0] ?? body;
const changeReply: Form["reply"] = async (parts, body) =>
  (await changedForClient(parts, [body as Members]))[0] ?? body;
const ordersReply: Form["reply"] = (parts, body) => ordersForClient(parts, body as readonly Members[]);
const tickersReply: Form["reply"] = (parts, body, requested) => tickersForClient(parts, body, requested);

const placedList = {
  request: withListId,
  reply: (parts: ServiceParts, body: JsonInput): JsonInput => listForClient(parts, body as Members),
};

/** Shows the orders of a replacement as those of a placement and of a cancel. */
const replacementReply: Form["reply"] = async (parts, body) => {
  const { cancelResponse, newOrderResponse, ...results } = body as Members;
  const shown = async (one: JsonInput | undefined): Promise<JsonInput> =>
    one != null && "orderId" in (one as Members)
      ? ((await changedForClient(parts, [one as Members]))[0] ?? null)
      : (one ?? null);
  return {
    ...results,
    cancelResponse: await shown(cancelResponse),
    newOrderResponse: await shown(newOrderResponse),
  };
};

/** Shows an order with a new quantity. Source: the convention's PUT /order/amend/keepPriority. */
const quantityReply: Form["reply"] = async (parts, body) => {
  const order = (await changedForClient(parts, [body as Members]))[0] ?? {};
  const { updateTime, origQty, clientOrderId, cummulativeQuoteQty, origQuoteOrderQty } = order;
  const renamed = { qty: origQty, cumulativeQuoteQty: cummulativeQuoteQty, quoteOrderQty: origQuoteOrderQty };
  const amendedOrder = { ...order, ...renamed, origClientOrderId: clientOrderId, preventedQty: "0" };
  return { transactTime: updateTime, amendedOrder };
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
    request: ({ parameters }) =>
      withOwnType(new Map([...parameters].filter(([each]) => each !== "computeCommissionRates"))),
  },
  "order.cancelReplace": { request: ({ parameters }) => withOwnType(parameters), reply: replacementReply },
  "order.amend.keepPriority": { reply: quantityReply },
  "order.status": { reply: orderReply },
  "order.cancel": { reply: changeReply },
  "openOrders.market": { reply: ordersReply },
  "openOrders.cancelMarket": { reply: (parts, body) => changedForClient(parts, body as readonly Members[]) },
  "orders.market": { reply: ordersReply },
  myTrades: { reply: (parts, body) => (body as readonly Members[]).map((trade) => renamed(parts, trade)) },
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

/** Names a list that was sent without an id: the convention does not demand one. */
function withListId({ parameters, call }: Requested): Parameters {
  if (call === undefined || parameters.has("listClientOrderId")) return parameters;
  const text = clientIdsOf(call)("listClientOrderId");
  return new Map([...parameters, ["listClientOrderId", { text, kind: "text" }]]);
}
