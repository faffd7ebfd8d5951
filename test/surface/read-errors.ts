import type { RouteName, SessionAct, TwinName } from "../../src/requests/index.ts";
import type { Case } from "./common-errors.ts";
import { NAMES } from "./world.ts";

const BEYOND = 2n ** 63n;

const symbols: readonly Case[] = [
  { error: "BAD_SYMBOL", how: "an unknown symbol", fields: { symbol: "DOGE/USD" } },
  { error: "PARAMETER_EMPTY", how: "an empty symbol", fields: { symbol: "" } },
];

/** Errors of naming one order. */
const orderKey: readonly Case[] = [
  ...symbols,
  { error: "PARAMETER_MISSING_BOTH", how: "no id", only: { symbol: "BTC/USD" } },
  {
    error: "BAD_COMBINATION",
    how: "aliases with different values",
    only: { symbol: "BTC/USD", origClientOrderId: "a", clOrdId: "b" },
  },
  { error: "EMPTY_CLIENT_ID", how: "an empty client id", only: { symbol: "BTC/USD", clOrdId: "" } },
  { error: "PARAMETER_OVERFLOW", how: "orderId 2^63", only: { symbol: "BTC/USD", orderId: BEYOND } },
  { error: "INVALID_PARAMETER", how: "account 0", fields: { account: 0 } },
  {
    error: "CLIENT_ID_MISMATCH",
    how: "the two ids belong to different orders",
    only: ({ orderId }) => ({ symbol: "BTC/USD", orderId, clOrdId: NAMES.native }),
  },
];

/** The parameters of an amend that name its order so. */
const amending =
  (only: NonNullable<Case["only"]>): NonNullable<Case["only"]> =>
  (sent) => ({ ...(typeof only === "function" ? only(sent) : only), quantity: "0.02" });

const status: readonly Case[] = [
  ...orderKey,
  { error: "NO_SUCH_ORDER", how: "an unknown order", only: { symbol: "BTC/USD", orderId: -1_000_000 } },
];

const listKey: readonly Case[] = [
  { error: "BAD_SYMBOL", how: "an unknown symbol", fields: { symbol: "DOGE/USD" } },
  { error: "PARAMETER_MISSING_BOTH", how: "no id", only: { symbol: "BTC/USD" } },
  {
    error: "BAD_COMBINATION",
    how: "aliases with different values",
    only: { origClientOrderId: "a", listClientOrderId: "b" },
  },
  { error: "EMPTY_CLIENT_ID", how: "an empty client id", only: { listClientOrderId: "" } },
  { error: "PARAMETER_OVERFLOW", how: "orderListId 2^63", only: { orderListId: BEYOND } },
  { error: "PARAMETER_EMPTY", how: "an empty symbol", fields: { symbol: "" } },
  { error: "INVALID_PARAMETER", how: "account 0", fields: { account: 0 } },
  {
    error: "CLIENT_ID_MISMATCH",
    how: "the two ids belong to different lists",
    fields: { listClientOrderId: "another" },
  },
];

const page: readonly Case[] = [
  { error: "PARAMETER_ABOVE", how: "limit 1,001", fields: { limit: 1_001 } },
  { error: "INVALID_PARAMETER", how: "limit 0", fields: { limit: 0 } },
];

const times: readonly Case[] = [
  ...page,
  { error: "TIMES_REVERSED", how: "startTime after endTime", fields: { startTime: 2, endTime: 1 } },
];

const nativePage: readonly Case[] = [
  ...times,
  ...symbols,
  {
    error: "BAD_COMBINATION",
    how: "aliases with different values",
    fields: { origClientOrderId: "a", clOrdId: "b" },
  },
  { error: "EMPTY_CLIENT_ID", how: "an empty client id", fields: { clOrdId: "" } },
  { error: "PARAMETER_OVERFLOW", how: "orderId 2^63", fields: { orderId: BEYOND } },
  { error: "UNSUPPORTED_OPERATION", how: "a host without native orders", world: { native: false } },
];

const managedScope: readonly Case[] = [
  { error: "INVALID_PARAMETER", how: "apiManaged false", fields: { apiManaged: false } },
  {
    error: "PARAMETER_NOT_REQUIRED",
    how: "a symbol, which the request does not take",
    fields: { symbol: "BTC/USD" },
  },
];

const noSymbol: Case = { error: "PARAMETER_MISSING", how: "no symbol", only: {} };

/** Errors of reading and cancelling. */
export const READ_ERRORS: Readonly<Partial<Record<RouteName | TwinName, readonly Case[]>>> = {
  instrumentPairs: [
    { error: "PARAMETER_ABOVE", how: "limit 5,001", fields: { limit: 5_001 } },
    { error: "INVALID_PARAMETER", how: "limit 0", fields: { limit: 0 } },
  ],
  ticker: [
    ...symbols,
    noSymbol,
    { error: "NO_DEPTH", how: "no quote and no trade yet", only: { symbol: "ETH/USD" } },
  ],
  ticker24hr: symbols,
  "ticker.price": symbols,
  "ticker.book": symbols,
  avgPrice: [
    ...symbols,
    noSymbol,
    {
      error: "NO_DEPTH",
      how: "no quote and no trade yet",
      only: { symbol: "ETH/USD" },
    },
  ],
  "account.status": [
    {
      error: "UNSUPPORTED_OPERATION",
      how: "a host without balances",
      world: { service: { balances: undefined as never } },
    },
  ],
  depth: [...symbols, noSymbol, { error: "INVALID_PARAMETER", how: "limit 0", fields: { limit: 0 } }],
  "order.status": status,
  "order.status.scaled": status,
  "order.cancel": [
    ...orderKey,
    { error: "CANCEL_REJECTED", how: "an unknown order", only: { symbol: "BTC/USD", orderId: -1_000_000 } },
    {
      error: "CANCEL_RESTRICTED",
      how: "an order of which nothing is executed",
      fields: { cancelRestrictions: "ONLY_PARTIALLY_FILLED" },
    },
    {
      error: "BAD_CANCEL_RESTRICTIONS",
      how: "an unknown restriction",
      fields: { cancelRestrictions: "ONLY_FILLED" },
    },
  ],
  "order.amend": [
    ...status.map((one) => ({ ...one, ...(one.only !== undefined && { only: amending(one.only) }) })),
    { error: "AMEND_REJECTED", how: "a field that the order does not have", fields: { stopPrice: "1" } },
    {
      error: "AMEND_NOT_NOW",
      how: "a child of the order is at the venue",
      world: {},
      before: ({ venue, feed }) => {
        venue.onSubmit = () => "silence";
        feed.quote({ symbol: "BTC/USD", bid: "6990", ask: "6991" });
      },
    },
    { error: "EMPTY_NEW_CLIENT_ID", how: "an empty amendId", fields: { amendId: "" } },
    { error: "PRECISION", how: "seven quantity decimals", fields: { quantity: "0.0100001" } },
    { error: "FILTER_NOTIONAL", how: "an order worth less than 15 USD", fields: { quantity: "0.000001" } },
    {
      error: "TOO_MANY_ORDERS",
      how: "more orders than the limit of ten seconds",
      world: { limits: { ordersPer10s: 1 } },
    },
    {
      error: "SHUTTING_DOWN",
      how: "the service is draining",
      world: {},
      before: ({ engine }) => engine.drain(),
    },
  ],
  allOrders: nativePage,
  orderHistory: nativePage,
  "openOrders.status": [...page, ...managedScope],
  "openOrders.cancelAll": managedScope,
  "orderList.status": [
    ...listKey,
    { error: "NO_SUCH_ORDER", how: "an unknown list", only: { orderListId: -1_000_000 } },
  ],
  "orderList.cancel": [
    // The symbol is accepted and not read there: clients of the convention send it.
    ...listKey.filter(({ error }) => error !== "BAD_SYMBOL" && error !== "PARAMETER_EMPTY"),
    { error: "CANCEL_REJECTED", how: "an unknown list", only: { orderListId: -1_000_000 } },
  ],
  "openOrderLists.status": times,
  allOrderLists: times,
};

/** Errors of the acts of a connection. */
export const ACT_ERRORS: Readonly<Record<SessionAct, readonly Case[]>> = {
  subscribe: [{ error: "SUBSCRIPTION_ACTIVE", how: "a second subscription on one connection", twice: true }],
  subscribeByToken: [
    { error: "REJECTED_API_KEY", how: "an unknown token", fields: { requestToken: "another" } },
    { error: "PARAMETER_MISSING", how: "no token", only: {} },
    { error: "SUBSCRIPTION_ACTIVE", how: "a second subscription on one connection", twice: true },
  ],
  unsubscribe: [{ error: "SUBSCRIPTION_INACTIVE", how: "an unknown id", only: { subscriptionId: 77 } }],
  subscriptions: [],
};
