import type { RouteName } from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import { FAR_LIMIT, KEYS, START_MS } from "../support/service-world.ts";
import type { Case } from "./common-errors.ts";
import { NAMES, type SurfaceWorld } from "./world.ts";

const account = (restricted: boolean | readonly string[]) => (world: SurfaceWorld) =>
  world.accounts.put({
    account: { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted },
    keys: [{ ...KEYS.owner, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] }],
  });

/** Refusals of every kind of placement; `fields` is an order that would be accepted by itself. */
const everyPlacement: readonly Case[] = [
  { error: "MARKET_CLOSED", how: "a halted market", fields: { symbol: "SOL/USD" } },
  { error: "BAD_SYMBOL", how: "an unknown symbol", fields: { symbol: "DOGE/USD" } },
  { error: "NOT_TRADED", how: "a staking instrument", fields: { symbol: "STETH/USD" } },
  { error: "PARAMETER_EMPTY", how: "an empty symbol", fields: { symbol: "" } },
  { error: "ACCOUNT_RESTRICTED", how: "a restricted account", world: {}, before: account(true) },
  { error: "SYMBOL_RESTRICTED", how: "a restricted market", world: {}, before: account(["BTC/USD"]) },
  {
    error: "SHUTTING_DOWN",
    how: "the service is draining",
    world: {},
    before: ({ engine }) => engine.drain(),
  },
];

const everyManaged: readonly Case[] = [
  { error: "ACCOUNT_DISABLED", how: "the owner's consent is missing", forge: { key: KEYS.silent } },
  {
    error: "UNSUPPORTED_OPERATION",
    how: "advanced orders are off",
    world: { engine: { advancedOrders: false } },
  },
  {
    error: "SERVER_BUSY",
    how: "the engine already has its maximum number of orders",
    world: { engine: { maxOpenParents: 1 } },
  },
];

const full: Case = {
  error: "TOO_MANY_ORDERS",
  how: "more orders than the limit of ten seconds",
  world: { limits: { ordersPer10s: 1 } },
};

const values: readonly Case[] = [
  { error: "ILLEGAL_CHARS", how: "quantity 1e3", fields: { quantity: "1e3" } },
  { error: "PRECISION", how: "seven quantity decimals", fields: { quantity: "0.0100001" } },
  { error: "PARAMETER_OVERFLOW", how: "a quantity of 13 digits", fields: { quantity: "9".repeat(13) } },
  { error: "INVALID_PARAMETER", how: "quantity 0", fields: { quantity: "0" } },
  { error: "BAD_SIDE", how: "BUY in lower case", fields: { side: "buy" } },
  { error: "BAD_ORDER_TYPE", how: "the type LIMIT in lower case", fields: { type: "limit" } },
  { error: "BAD_TIME_IN_FORCE", how: "timeInForce DAY", fields: { timeInForce: "DAY" } },
  { error: "EMPTY_NEW_CLIENT_ID", how: "an empty newClientOrderId", fields: { newClientOrderId: "" } },
];

const native: RequestParameters = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.5",
  price: "6000",
};
const market: RequestParameters = { symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "0.5" };

/** Refusals of native orders only. */
const nativeOnes: readonly Case[] = [
  {
    error: "INSUFFICIENT_BALANCE",
    how: "an order for more than the balance",
    only: { ...native, quantity: "999999" },
  },
  {
    error: "ORDER_REJECTED",
    how: "an order worth less than the smallest unit of USD",
    only: {
      ...native,
      type: "MARKET",
      timeInForce: undefined,
      price: undefined,
      quantity: undefined,
      quoteOrderQty: "0.00000001",
    },
  },
  {
    error: "TIME_IN_FORCE_NOT_REQUIRED",
    how: "a MARKET with timeInForce",
    only: { ...market, timeInForce: "GTC" },
  },
  {
    error: "PARAMETER_MISSING_BOTH",
    how: "a MARKET without an amount",
    only: { ...market, quantity: undefined },
  },
  { error: "BAD_COMBINATION", how: "a MARKET with both amounts", only: { ...market, quoteOrderQty: "10" } },
];

const MODE = "STOP_ON_FAILURE";
/** A managed order in place of one that is unknown. */
const REPLACING = { ...FAR_LIMIT, cancelReplaceMode: MODE, cancelOrderId: -1_000_000 };

/** The parameters of a replacement by such an order. */
const replacing =
  (only: NonNullable<Case["only"]>): NonNullable<Case["only"]> =>
  (sent) => ({
    ...(typeof only === "function" ? only(sent) : only),
    ...{ cancelReplaceMode: MODE, cancelOrderId: -1_000_000 },
  });

const slices = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "1", price: "7000" };

const managedOnes: readonly Case[] = [
  {
    error: "DUPLICATE_ORDER",
    how: "the client id of another order",
    fields: { newClientOrderId: NAMES.managed, price: "6999" },
  },
  { error: "PARAMETER_NOT_REQUIRED", how: "trailingDelta on a limit", fields: { trailingDelta: 5 } },
  {
    error: "BAD_COMBINATION",
    how: "GTC with an expiry",
    fields: { timeInForce: "GTC", expireTime: START_MS + 60_000 },
  },
  { error: "FILTER_NOTIONAL", how: "an order worth less than 15 USD", fields: { quantity: "0.000001" } },
  {
    error: "FILTER_ICEBERG_PARTS",
    how: "more iceberg parts than the setting allows",
    fields: { icebergQty: "0.003" },
    world: { engine: { maxIcebergParts: 2 } },
  },
  { error: "ICEBERG_EXCEEDS_QUANTITY", how: "icebergQty above the quantity", fields: { icebergQty: "0.02" } },
  { error: "UNSUPPORTED_COMBINATION", how: "targetStrategy without LIMIT", fields: { targetStrategy: 180 } },
  { error: "BAD_STRATEGY", how: "targetStrategy 1", only: { ...slices, targetStrategy: 1 } },
  {
    error: "BAD_INTERVAL",
    how: "an interval of 999 ms",
    only: { ...slices, targetStrategy: 180, interval: 999, intervalCount: 2 },
  },
  {
    error: "NO_VOLUME_HISTORY",
    how: "a VWAP without history",
    only: { ...slices, targetStrategy: 1_000_002 },
  },
  {
    error: "NO_DEPTH",
    how: "a trailing stop without a quote",
    only: {
      symbol: "ETH/USD",
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      quantity: "1",
      trailingDelta: 100,
    },
  },
  { error: "REDUCE_ONLY_REJECTED", how: "no position to reduce", fields: { reduceOnly: true } },
  {
    error: "WOULD_MATCH",
    how: "a post-only order that would match at once",
    fields: { type: "LIMIT_MAKER", price: "7600" },
  },
];

/** Errors of placing single orders. */
export const PLACEMENT_ERRORS: Readonly<Partial<Record<RouteName, readonly Case[]>>> = {
  "order.place": [
    ...everyPlacement,
    ...everyManaged,
    full,
    ...values,
    ...managedOnes,
    ...nativeOnes.filter(({ error }) => error !== "BAD_COMBINATION"),
  ],
  "order.cancelReplace": [
    ...everyPlacement,
    ...everyManaged.filter(({ error }) => error !== "SERVER_BUSY"),
    full,
    ...values,
    ...managedOnes.map((one) => ({ ...one, ...(one.only !== undefined && { only: replacing(one.only) }) })),
    {
      error: "SERVER_BUSY",
      how: "the engine already has its maximum number of orders, and the one to cancel is unknown",
      world: { engine: { maxOpenParents: 1 } },
      only: { ...REPLACING, cancelReplaceMode: "ALLOW_FAILURE", newClientOrderId: "another" },
    },
    {
      error: "PARAMETER_MISSING_BOTH",
      how: "no order to cancel",
      only: { ...FAR_LIMIT, cancelReplaceMode: MODE },
    },
    { error: "EMPTY_CLIENT_ID", how: "an empty client id", fields: { cancelOrigClientOrderId: "" } },
    {
      error: "BAD_CANCEL_RESTRICTIONS",
      how: "an unknown restriction",
      fields: { cancelRestrictions: "ONLY_FILLED" },
    },
    { error: "CLIENT_ID_MISMATCH", how: "ids of two orders", fields: { cancelOrigClientOrderId: "another" } },
    {
      error: "CANCEL_REPLACE_FAILED",
      how: "an unknown order",
      only: { ...REPLACING, newClientOrderId: "next" },
    },
    {
      error: "CANCEL_REPLACE_PARTIAL",
      how: "an unknown order, and ALLOW_FAILURE",
      only: { ...REPLACING, cancelReplaceMode: "ALLOW_FAILURE", newClientOrderId: "next-1" },
    },
  ],
  "order.place.native": [
    ...everyPlacement,
    full,
    ...values,
    ...nativeOnes,
    { error: "DUPLICATE_ORDER", how: "the id of an open order", fields: { newClientOrderId: NAMES.native } },
    { error: "UNSUPPORTED_OPERATION", how: "a host without native orders", world: { native: false } },
  ],
};

/** Additional refusals of lists, as of single managed orders. */
export const LIST_ACCOUNT_ERRORS: readonly Case[] = [...everyPlacement, ...everyManaged, full];
