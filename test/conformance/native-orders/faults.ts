import { OrderError } from "../../../src/errors/index.ts";
import type { NativeExecution } from "../../../src/model/index.ts";
import {
  anyAccount,
  buying,
  canceling,
  changed,
  endedKeys,
  executing,
  failing,
  filling,
  firstByName,
  freshKey,
  freshName,
  inOneMarket,
  isIn,
  isListed,
  lower,
  memoryExecutions,
  memoryKeys,
  memoryPage,
  nearest,
  noSuchMarket,
  ordered,
  ownName,
  type PlantedFault,
  paging,
  placed,
  roundedDown,
  roundedUp,
  sending,
  sharedKeys,
} from "./broken-native.ts";

/** The mistakes by the rule that finds them. */
export const PLANTED: Readonly<Record<string, readonly PlantedFault[]>> = {
  "a limit away from the market rests, under a positive id, with all that was sent": [
    { mistake: "negative ids", create: ordered((order) => ({ ...order, orderId: -order.orderId })) },
    { mistake: "another type", create: ordered((order) => ({ ...order, type: "limit" })) },
    { mistake: "isWorking as text", create: ordered((order) => ({ ...order, isWorking: "true" })) },
  ],
  "a limit that the market meets is filled at once, at the market's price, on its own side and in its own market":
    [
      { mistake: "answers without the fills", create: placed((answer) => ({ ...answer, fills: [] })) },
      { mistake: "fills at the limit", create: filling((fill) => ({ ...fill, price: 10_500_000_000 })) },
      { mistake: "every order buys", create: sending((placement) => ({ ...placement, side: "BUY" })) },
      { mistake: "every order is in BTC/USD", create: inOneMarket() },
      { mistake: "closed for FILLED", create: ordered((order) => ({ ...order, status: "CLOSED" })) },
    ],
  "a limit order never executes beyond its price": [
    { mistake: "prices with two decimals, rounded up", create: sending(roundedUp) },
    {
      mistake: "prices of SELL orders with two decimals, rounded down",
      create: sending((placement) => (placement.side === "SELL" ? roundedDown(placement) : placement)),
    },
  ],
  "prices, quantities and 64-bit ids are exact: whole numbers of steps, and bigint ids": [
    {
      mistake: "quantities as text",
      create: filling((fill) => ({ ...fill, quantity: String(fill.quantity) })),
    },
    {
      mistake: "prices as decimals",
      create: filling((fill) => ({ ...fill, price: Number(fill.price) / 1e8 })),
    },
    { mistake: "ids as numbers", create: ordered((order) => ({ ...order, orderId: Number(order.orderId) })) },
    {
      mistake: "prices through a double",
      create: ordered((order) => ({ ...order, ...(order.price && { price: BigInt(Number(order.price)) }) })),
    },
  ],
  "executedQuantity is the sum of the fills, and a filled order has all of them": [
    { mistake: "a missing fill", create: placed((answer) => ({ ...answer, fills: answer.fills.slice(1) })) },
    {
      mistake: "an executed quantity that comes later",
      create: placed((answer) => ({ ...answer, order: { ...answer.order, executedQuantity: 0 } })),
    },
  ],
  "an IOC order and a FOK order never rest": [
    {
      mistake: "every order is GTC",
      create: sending((placement) =>
        "price" in placement ? { ...placement, timeInForce: "GTC" } : placement,
      ),
    },
    {
      mistake: "FOK is GTC",
      create: sending((placement) =>
        isIn(placement, "FOK") ? { ...placement, timeInForce: "GTC" } : placement,
      ),
    },
  ],
  "a market order is filled at once and has no price": [
    { mistake: "a price", create: ordered((order) => ({ ...order, price: order.price ?? 1 })) },
    { mistake: "every market order buys", create: sending(buying("quantity")) },
  ],
  "a market order by amount spends the amount, and its quantity is what the amount yielded": [
    { mistake: "without the amount", create: ordered(({ quoteQuantity: _, ...order }) => order) },
    { mistake: "every order by amount buys", create: sending(buying("quoteQuantity")) },
  ],
  "an order flow that declares no orders by amount refuses them, and nothing of them is left": [
    { mistake: "takes them", supports: { byAmount: false }, create: changed(() => ({})) },
  ],
  "ids rise in the order of placing, across accounts and markets": [
    {
      mistake: "ids count within the market",
      create: ordered((order) => ({ ...order, orderId: order.symbol === "ETH/USD" ? 1n : order.orderId })),
    },
  ],
  "I03: the client id of an open order is refused, in any market of the account; other accounts have separate ids":
    [
      { mistake: "client ids count within the market", create: sending(ownName) },
      { mistake: "a refusal that is no OrderError", create: failing((error) => new Error(error.message)) },
    ],
  "I03: of simultaneous orders under one client id, one is placed": [
    {
      mistake: "no unique key",
      create: sending(freshName),
    },
  ],
  "an order that the account cannot pay is refused and leaves no trace": [
    { mistake: "another refusal", create: failing(() => new OrderError("DUPLICATE_ORDER")) },
    { mistake: "a trace", create: executing((all) => (all.length === 0 ? [{} as NativeExecution] : all)) },
  ],
  "isPaperTrade is true or false": [
    { mistake: "no value", create: changed(() => ({ isPaperTrade: undefined as never })) },
  ],
  "executedNotional is the exact sum of price times quantity of all fills": [
    {
      mistake: "through a double",
      create: ordered((order) => ({
        ...order,
        executedNotional: Math.round(Number(order.executedNotional) / 1e6) * 1e6,
      })),
    },
  ],
  "an order flow that declares no executedNotional has none": [
    { mistake: "has one", supports: { notionals: false }, create: changed(() => ({})) },
  ],
  "every fill has its commission, as decimal text, and the asset of the commission": [
    { mistake: "a number", create: filling((fill) => ({ ...fill, commission: 0 })) },
    { mistake: "without the asset", create: filling((fill) => ({ ...fill, commissionAsset: undefined })) },
    { mistake: "an exponent", create: filling((fill) => ({ ...fill, commission: "1e-7" })) },
  ],
  "an order flow that declares no commissions shows none": [
    { mistake: "shows them", supports: { commissions: false }, create: changed(() => ({})) },
  ],
  "hostile 22: the same request answers with its order, however often and at once": [
    { mistake: "no request keys", create: sending(freshKey) },
    { mistake: "every answer created the order", create: placed((answer) => ({ ...answer, created: true })) },
  ],
  "also after its order has ended, with its present state": [
    { mistake: "no request keys", create: sending(freshKey) },
    {
      mistake: "the state at the placement",
      create: placed((answer) => ({ ...answer, order: { ...answer.order, status: "NEW" } })),
    },
  ],
  "a request is known once it has placed an order, with the order's present state": [
    { mistake: "never known", create: changed(() => ({ findRequest: () => undefined })) },
    {
      mistake: "rejects",
      create: changed(() => ({ findRequest: () => Promise.reject(new Error("no such request")) })),
    },
  ],
  "the same key of another account is another request": [
    { mistake: "keys of all accounts", create: sharedKeys },
  ],
  "an order is canceled by either id; the second time there is nothing to cancel": [
    { mistake: "no reason", create: canceling(({ reason: _, ...order }) => order) },
    { mistake: "never answers", create: changed(() => ({ cancel: () => new Promise(() => undefined) })) },
    {
      mistake: "answers the second cancel with the order",
      create: changed((honest) => ({
        cancel: async (key) => (await honest.cancel(key)) ?? (await honest.find(key)),
      })),
    },
  ],
  "a canceled order executes nothing more": [
    {
      mistake: "only says so",
      create: changed((honest) => ({
        cancel: async (key) => {
          const order = await honest.find(key);
          return order && { ...order, status: "CANCELED", reason: "USER_CANCELED" };
        },
      })),
    },
  ],
  "cancelIf cancels only an order that meets the condition, and changes no other": [
    {
      mistake: "ignores the condition",
      create: changed((honest) => ({ cancelIf: (key) => honest.cancel(key) })),
    },
    { mistake: "has none", create: changed(() => ({ cancelIf: undefined as never })) },
  ],
  "an order flow that declares no cancelIf has none": [
    { mistake: "has one", supports: { cancelIf: false }, create: changed(() => ({})) },
  ],
  "hostile 91: of two cancels at once, one cancels": [
    {
      mistake: "reads, then writes",
      create: changed((honest) => ({
        cancel: async (key) => {
          const order = await honest.find(key);
          await honest.cancel(key);
          return order?.status === "NEW" ? { ...order, status: "CANCELED" } : undefined;
        },
      })),
    },
  ],
  "I52: a cancel of an unknown, foreign, other-market or filled order changes nothing": [
    {
      mistake: "searches without the account",
      create: changed((honest) => ({ cancel: anyAccount(honest) })),
    },
    {
      mistake: "searches client ids without the account",
      create: changed((honest) => ({
        cancel: (key) => ("orderId" in key ? honest.cancel(key) : anyAccount(honest)(key)),
      })),
    },
    {
      mistake: "searches client ids without the market",
      create: changed((honest) => ({
        cancel: (key) => honest.cancel("orderId" in key ? key : { ...key, symbol: "BTC/USD" }),
      })),
    },
    {
      mistake: "rejects",
      create: changed((honest) => ({
        cancel: async (key) => (await honest.cancel(key)) ?? Promise.reject(new Error("no such order")),
      })),
    },
  ],
  "an order is found by either id, of its account and market only, and by whole ids": [
    {
      mistake: "client ids without case",
      create: changed((honest) => ({ find: (key) => honest.find(lower(key)) })),
    },
    {
      mistake: "ids through a number",
      create: changed((honest) => ({ find: (key) => honest.find("orderId" in key ? nearest(key) : key) })),
    },
  ],
  "of several orders with one client id the newest of the market is found": [
    { mistake: "the first one", create: firstByName },
  ],
  "a market without an instrument has no orders and no executions, and to ask about it is no failure": [
    {
      mistake: "orders are found in any market",
      create: changed((honest) => ({
        find: (key) => honest.find(isListed(key) ? key : { ...key, symbol: "BTC/USD" }),
      })),
    },
    {
      mistake: "its page rejects",
      create: changed((honest) => ({
        page: async (page) => (isListed(page) ? await honest.page(page) : noSuchMarket()),
      })),
    },
    {
      mistake: "its executions reject",
      create: changed((honest) => ({
        executions: async (query) => (isListed(query) ? await honest.executions(query) : noSuchMarket()),
      })),
    },
  ],
  "contract: a page has one latest snapshot per order of the account and market, ids rising": [
    { mistake: "ids falling", create: paging((orders) => orders.toReversed()) },
    {
      mistake: "the state at the placement",
      create: paging((orders) => orders.map((order) => ({ ...order, status: "NEW" }))),
    },
    { mistake: "an order twice", create: paging((orders) => [...orders, ...orders].slice(0, 10)) },
  ],
  "contract: a page has the newest orders, or the lowest from an id on, which is included": [
    {
      mistake: "always the lowest",
      create: changed((honest) => ({ page: (page) => honest.page({ fromOrderId: 1n, ...page }) })),
    },
    {
      mistake: "the id is excluded",
      create: changed((honest) => ({
        page: ({ fromOrderId, ...page }) =>
          honest.page({ ...page, ...(fromOrderId !== undefined && { fromOrderId: fromOrderId + 1n }) }),
      })),
    },
  ],
  "contract: the times of a page are of the last change, in milliseconds, both ends included": [
    {
      mistake: "the end is excluded",
      create: changed((honest) => ({
        page: ({ endTimeMs, ...page }) =>
          honest.page({ ...page, ...(endTimeMs !== undefined && { endTimeMs: endTimeMs - 1 }) }),
      })),
    },
    {
      mistake: "no times",
      create: changed((honest) => ({
        page: ({ startTimeMs: _, endTimeMs: __, ...page }) => honest.page(page),
      })),
    },
  ],
  "a client id narrows a page exactly": [
    {
      mistake: "by its beginning",
      create: changed((honest) => ({
        page: async ({ clientOrderId = "", ...page }) =>
          (await honest.page(page)).filter((order) => order.clientOrderId.startsWith(clientOrderId)),
      })),
    },
  ],
  "the open orders of an account are listed by rising id, in one market or in all, at most `limit`": [
    {
      mistake: "ended orders too",
      create: changed((honest) => ({ open: (query) => honest.page({ symbol: "BTC/USD", ...query }) })),
    },
    {
      mistake: "no limit",
      create: changed((honest) => ({ open: (query) => honest.open?.({ ...query, limit: 99 }) ?? [] })),
    },
    { mistake: "has none", create: changed(() => ({ open: undefined as never })) },
  ],
  "an order flow that declares no list of open orders has none": [
    { mistake: "has one", supports: { open: false }, create: changed(() => ({})) },
  ],
  "executions are listed oldest first, each with the order after it and an id of its own": [
    { mistake: "newest first", create: executing((all) => all.toReversed()) },
    { mistake: "no NEW", create: executing((all) => all.filter(({ execType }) => execType !== "NEW")) },
    {
      mistake: "one id for all",
      create: executing((all) => all.map((one) => ({ ...one, executionId: "1" }))),
    },
    {
      mistake: "seconds",
      create: executing((all) => all.map((one) => ({ ...one, timeMs: Math.floor(one.timeMs / 1_000) }))),
    },
  ],
  "executions are the newest `limit` of an account, and of one order, client id, market or time": [
    {
      mistake: "the oldest",
      create: changed((honest) => ({
        executions: async (query) => (await honest.executions({ ...query, limit: 99 })).slice(0, query.limit),
      })),
    },
    {
      mistake: "no times",
      create: changed((honest) => ({
        executions: ({ startTimeMs: _, endTimeMs: __, ...query }) => honest.executions(query),
      })),
    },
  ],
  "executions are reported as they occur, before the answer, until the listener leaves": [
    { mistake: "none", create: changed(() => ({ subscribe: () => () => undefined })) },
    {
      mistake: "each twice",
      create: changed((honest) => ({
        subscribe: (listener) =>
          honest.subscribe((one) => {
            listener(one);
            listener(one);
          }),
      })),
    },
    {
      mistake: "listeners cannot leave",
      create: changed((honest) => ({
        subscribe: (listener) => {
          honest.subscribe(listener);
          return () => undefined;
        },
      })),
    },
    {
      mistake: "after the answer",
      create: changed((honest) => ({
        subscribe: (listener) => honest.subscribe((one) => void setImmediate(() => listener(one))),
      })),
    },
    {
      mistake: "unreadable",
      create: changed((honest) => ({
        subscribe: (listener) => honest.subscribe((one) => listener({ ...one, execType: "trade" as never })),
      })),
    },
  ],
  "I01: a restart restores orders, ids and executions exactly; resting orders continue": [
    { mistake: "request keys in memory", create: memoryKeys },
    { mistake: "request keys of ended orders in memory", create: endedKeys },
    { mistake: "executions in memory", create: memoryExecutions },
  ],
  "I01: everything that was answered is durable, also if the process cannot close": [
    { mistake: "a page in memory", create: memoryPage },
  ],
};
