import type { Random } from "../../../src/common/random.ts";
import type { RouteName, TwinName } from "../../../src/requests/index.ts";
import { type Field, field } from "./draft.ts";
import type { KnownOrders } from "./known-orders.ts";

/** The inputs from which the parameters of a request are chosen. */
export type Choice = Readonly<{
  random: Random;
  known: KnownOrders;
  accountId: number;
  /** No other request of the run has this id. */
  id: string;
  nowMs: number;
}>;

type Terms = Readonly<Record<string, string | number | boolean>>;

const fieldsOf = (terms: Terms): Field[] => Object.entries(terms).map(([name, value]) => field(name, value));

const BUY = { symbol: "BTC/USD", side: "BUY", quantity: "0.01" } as const;
const SELL = { symbol: "BTC/USD", side: "SELL", quantity: "0.01" } as const;

/** Single parents of every type, as in the contract's table; the first two execute at once. */
const PARENTS: readonly Terms[] = [
  { ...BUY, type: "SYNTHETIC_LIMIT", price: "7500" },
  { ...SELL, type: "STOP_MARKET", stopPrice: "7100" },
  { ...BUY, type: "SYNTHETIC_LIMIT", price: "6000" },
  { ...BUY, type: "LIMIT", apiManaged: true, price: "6000.12345678", timeInForce: "GTC" },
  { ...SELL, type: "STOP_MARKET", stopPrice: "6000", reduceOnly: true },
  { ...BUY, type: "STOP_LOSS_LIMIT", stopPrice: "8000", price: "8100", childTimeInForce: "FOK" },
  { ...SELL, type: "TAKE_PROFIT_MARKET", stopPrice: "8000" },
  { ...SELL, type: "TAKE_PROFIT_LIMIT", stopPrice: "8000", price: "7900" },
  { ...SELL, type: "TRAILING_STOP_MARKET", trailingDelta: 500 },
  { ...SELL, type: "TRAILING_STOP_MARKET", price2: "12.5", stopPrice: "7500" },
  { ...BUY, type: "TRAILING_STOP_LIMIT", trailingAmount: "250.5", limitOffset: "10" },
  { ...BUY, type: "LIMIT_MAKER", price: "6500" },
  { ...BUY, type: "LIMIT", timeInForce: "GTX", price: "6500" },
  { ...BUY, quantity: "0.1", type: "ICEBERG", price: "6000", icebergQty: "0.01" },
  { ...BUY, quantity: "0.1", type: "TWAP", interval: 60_000, intervalCount: 3, intervalDelay: 5_000 },
  { ...BUY, quantity: "0.1", type: "VWAP", interval: 60_000, volumeProfile: "1,2,3", intervalDelay: 60_000 },
  { ...BUY, quantity: "0.1", type: "POV", participationBips: 1_000 },
  {
    ...BUY,
    quantity: "0.1",
    type: "LIMIT",
    price: "6000",
    targetStrategy: 180,
    interval: 1_000,
    intervalCount: 2,
  },
];

const NATIVES: readonly Terms[] = [
  { ...BUY, type: "LIMIT", price: "6000", timeInForce: "GTC" },
  { ...BUY, type: "LIMIT", price: "7500", timeInForce: "IOC" },
  { ...SELL, type: "MARKET" },
  { symbol: "ETH/USD", side: "BUY", type: "MARKET", quoteOrderQty: "100" },
];

const ENTRY = {
  workingType: "LIMIT",
  workingSide: "BUY",
  workingPrice: "6500",
  workingQuantity: "0.01",
} as const;

const LISTS: Readonly<Record<"oco" | "oto" | "otoco" | "legacyOco" | "bracket" | "oca", Terms>> = {
  oco: { ...SELL, aboveType: "LIMIT", abovePrice: "8000", belowType: "STOP_LOSS", belowStopPrice: "6000" },
  oto: {
    ...{ symbol: "BTC/USD", ...ENTRY, pendingType: "STOP_LOSS" },
    ...{ pendingSide: "SELL", pendingStopPrice: "6000", pendingQuantity: "0.01" },
  },
  otoco: {
    ...{ symbol: "BTC/USD", ...ENTRY, pendingSide: "SELL", pendingQuantity: "0.01" },
    ...{ pendingAboveType: "TAKE_PROFIT", pendingAboveStopPrice: "8000" },
    ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "6000" },
  },
  legacyOco: { ...SELL, price: "8000", stopPrice: "6000" },
  bracket: {
    ...{
      symbol: "BTC/USD",
      ...ENTRY,
      stopPrice: "6000",
      takeProfit1Price: "8000",
      takeProfit1ShareBips: 5_000,
    },
    ...{ takeProfit2Price: "9000", takeProfit2ShareBips: 5_000, moveStopAfter: 1, moveStopTo: "ENTRY" },
  },
  oca: {
    ...{ ...SELL, mode: "REDUCE", leg1Type: "LIMIT", leg1Price: "8000" },
    ...{ leg2Type: "STOP_LOSS", leg2StopPrice: "6000" },
  },
};

type Maker = (choice: Choice) => Field[];

const list =
  (form: keyof typeof LISTS): Maker =>
  ({ id }) => [field("listClientOrderId", id), ...fieldsOf(LISTS[form])];

/** One order: by its id, its client id, or both. */
const order: Maker = ({ known, accountId, random }) => {
  const byId: Field = { name: "orderId", text: known.orderId(accountId, random), bare: true };
  const byName = field("origClientOrderId", known.clientId(accountId, random));
  return [field("symbol", "BTC/USD"), ...random.pick([[byId], [byId], [byName], [byId, byName]])];
};

const oneList: Maker = ({ known, accountId, random }) =>
  random.below(2) === 0
    ? [{ name: "orderListId", text: known.listId(accountId, random), bare: true }]
    : [field("listClientOrderId", known.clientId(accountId, random))];

const history: Maker = ({ random, nowMs }) => [
  field("symbol", random.pick(["BTC/USD", "ETH/USD"])),
  ...random.pick<Field[]>([
    [],
    [field("limit", 5)],
    [field("orderId", 1), field("limit", 10)],
    [field("startTime", nowMs - 60_000), field("endTime", nowMs)],
  ]),
];

const lists: Maker = ({ random, nowMs }) =>
  random.pick<Field[]>([
    [],
    [field("limit", 10)],
    [field("startTime", nowMs - 60_000), field("endTime", nowMs)],
  ]);

const nothing: Maker = () => [];

/** Parameters with which each route fulfils its purpose. */
export const TERMS: Readonly<Record<RouteName | TwinName, Maker>> = {
  "ticker.price": ({ random }) => random.pick<Field[]>([[], [field("symbol", "ETH/USD")]]),
  "ticker.book": nothing,
  avgPrice: () => [field("symbol", "BTC/USD")],
  "account.status": nothing,
  status: nothing,
  exchangeInfo: nothing,
  instrumentPairs: ({ random }) => random.pick<Field[]>([[], [field("limit", 2)]]),
  ticker: () => [field("symbol", "BTC/USD")],
  ticker24hr: ({ random }) => random.pick<Field[]>([[], [field("symbol", "ETH/USD")]]),
  depth: ({ random }) => [field("symbol", "BTC/USD"), ...random.pick<Field[]>([[], [field("limit", 700)]])],
  ping: nothing,
  time: nothing,
  "order.place": ({ random, id, nowMs }) => [
    ...fieldsOf(random.pick(random.below(8) === 0 ? NATIVES : PARENTS)),
    ...random.pick<Field[]>([
      [field("newClientOrderId", id)],
      [field("newClientOrderId", id)],
      [],
      [field("expireTime", nowMs + 3_600_000), field("newClientOrderId", id)],
    ]),
  ],
  "order.place.native": ({ random, id }) => [
    ...fieldsOf(random.pick(NATIVES)),
    ...random.pick([[field("newClientOrderId", id)], []]),
  ],
  "order.status": order,
  "order.status.scaled": order,
  "order.cancel": order,
  "order.amend": (context) => [
    ...order(context),
    ...context.random.pick([[field("quantity", "2")], [field("stopPrice", "1")], [field("price", "10")]]),
  ],
  "order.cancelReplace": (context) => [
    ...fieldsOf(context.random.pick(PARENTS)),
    field("newClientOrderId", context.id),
    field("cancelReplaceMode", context.random.pick(["STOP_ON_FAILURE", "ALLOW_FAILURE"])),
    field("cancelOrigClientOrderId", context.random.pick([context.id, "fuzz-1"])),
  ],
  allOrders: history,
  orderHistory: history,
  "openOrders.status": ({ random }) => [
    field("apiManaged", true),
    ...random.pick<Field[]>([
      [],
      [field("limit", 3), field("newestFirst", true)],
      [field("includeHistory", true), field("limit", 5)],
    ]),
  ],
  "openOrders.cancelAll": () => [field("apiManaged", true)],
  "orderList.place.oco": list("oco"),
  "orderList.place.oto": list("oto"),
  "orderList.place.otoco": list("otoco"),
  "orderList.place.legacyOco": list("legacyOco"),
  "orderList.place.bracket": list("bracket"),
  "orderList.place.oca": list("oca"),
  "orderList.status": oneList,
  "orderList.cancel": oneList,
  "openOrderLists.status": lists,
  allOrderLists: lists,
};
