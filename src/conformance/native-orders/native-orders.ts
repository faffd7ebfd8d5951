import { formatQuantity, price, quantity } from "../../decimal/index.ts";
import type { NativeOrder } from "../../model/index.ts";
import type { NativePage, OpenNativeQuery } from "../../ports/index.ts";
import { same } from "../checks.ts";
import { declareSuite, type TestFramework } from "../suite.ts";
import { cancelling, requests, restarts } from "./changes.ts";
import { placing } from "./placing.ts";
import {
  eventsOf,
  MARKET,
  type NativeOrdersSubject,
  type NativeRules,
  NativeWorld,
  nativeOrdersSubject,
} from "./world.ts";

/** Rules of finding an order. */
const finding: NativeRules = {
  "an order is found by either id, of its account and market only, and by whole ids": {
    remedy: "Search with account, market and id together. Client ids are compared byte by byte.",
    async check({ put, native, orderOf }) {
      const { order } = await put({ clientOrderId: "mine" });
      const { orderId } = order;
      same("find by orderId", await orderOf(orderId), order);
      same("find by client id", await native.find({ ...MARKET, clientOrderId: "mine" }), order);
      for (const key of [
        { ...MARKET, accountId: 2, orderId },
        { ...MARKET, accountId: 2, clientOrderId: "mine" },
        { ...MARKET, symbol: "ETH/USD", orderId },
        { ...MARKET, symbol: "ETH/USD", clientOrderId: "mine" },
        { ...MARKET, clientOrderId: "Mine" },
        { ...MARKET, clientOrderId: "min" },
        { ...MARKET, orderId: orderId + 1n },
        { ...MARKET, orderId: 2n ** 63n - 1n },
      ]) {
        const by = "orderId" in key ? `orderId ${key.orderId}` : `client id ${key.clientOrderId}`;
        same(`find by ${by}, account ${key.accountId}, ${key.symbol}`, await native.find(key), undefined);
      }
    },
  },
  "of several orders with one client id the newest of the market is found": {
    remedy: "Order by id, and take the last.",
    async check({ put, native }) {
      const used = { clientOrderId: "used" };
      await put({ ...used, price: "105" });
      const second = (await put({ ...used, price: "105" })).order;
      await put({ ...used, symbol: "ETH/USD" });
      same("find by the client id", (await native.find({ ...MARKET, ...used }))?.orderId, second.orderId);
    },
  },
  "a market without an instrument has no orders and no executions, and to ask about it is no failure": {
    remedy: "Answer with nothing. Clients may name a market that was withdrawn, or one that never existed.",
    async check({ put, native }) {
      const { orderId } = (await put({ clientOrderId: "mine" })).order;
      const nowhere = { ...MARKET, symbol: "NOWHERE/USD" };
      same("find by orderId", await native.find({ ...nowhere, orderId }), undefined);
      same("find by client id", await native.find({ ...nowhere, clientOrderId: "mine" }), undefined);
      same("the page", await native.page({ ...nowhere, limit: 10 }), []);
      same("the executions", await native.executions({ ...nowhere, limit: 10 }), []);
    },
  },
};

const idsOf = (orders: readonly NativeOrder[]): readonly bigint[] => orders.map(({ orderId }) => orderId);

/** Places three orders a second apart, and cancels the first one a second later. Returns their ids. */
async function placeThree({ native, put, place }: NativeWorld): Promise<readonly [bigint, bigint, bigint]> {
  const ids: bigint[] = [];
  for (const clientOrderId of ["one", "two", "one-more"]) {
    ids.push((await put({ clientOrderId })).order.orderId);
    await place.pass(1_000);
  }
  await put({ symbol: "ETH/USD" });
  await put({ accountId: 2 });
  await native.cancel({ ...MARKET, clientOrderId: "one" });
  return ids as [bigint, bigint, bigint];
}

/** Checks the ids on a page. */
async function shows(
  { native }: NativeWorld,
  query: Partial<NativePage>,
  due: readonly bigint[],
): Promise<void> {
  const orders = await native.page({ ...MARKET, limit: 10, ...query });
  const requested = Object.entries(query).map(([name, value]) => `${name} ${value}`);
  same(`orderIds on the page with ${requested.join(", ") || "a limit only"}`, idsOf(orders), due);
}

/** Rules of pages. */
const pages: NativeRules = {
  "contract: a page has one latest snapshot per order of the account and market, ids rising": {
    remedy: "Return orders, not their events.",
    async check(world) {
      const ids = await placeThree(world);
      await shows(world, {}, ids);
      const [first] = await world.native.page({ ...MARKET, limit: 10 });
      same("status of the first order", first?.status, "CANCELED");
    },
  },
  "contract: a page has the newest orders, or the lowest from an id on, which is included": {
    remedy: "Without `fromOrderId` take the highest ids, with it the lowest ones from it on. Both rise.",
    async check(world) {
      const [one, two, three] = await placeThree(world);
      await shows(world, { limit: 2 }, [two, three]);
      await shows(world, { limit: 2, fromOrderId: 1n }, [one, two]);
      await shows(world, { limit: 2, fromOrderId: two }, [two, three]);
      await shows(world, { fromOrderId: two + 1n }, [three]);
      await shows(world, { fromOrderId: three + 100n }, []);
    },
  },
  "contract: the times of a page are of the last change, in milliseconds, both ends included": {
    remedy: "Filter by `updatedAtMs`, not by the time of the placement.",
    async check(world) {
      const startMs = world.place.nowMs();
      const [one, two, three] = await placeThree(world);
      await shows(world, { startTimeMs: startMs + 1_000, endTimeMs: startMs + 2_000 }, [two, three]);
      await shows(world, { startTimeMs: startMs + 2_001 }, [one]);
      await shows(world, { startTimeMs: startMs + 3_000 }, [one]);
      await shows(world, { endTimeMs: startMs + 1_999 }, [two]);
      await shows(world, { startTimeMs: startMs, endTimeMs: startMs }, []);
    },
  },
  "a client id narrows a page exactly": {
    remedy: "Compare the whole client id.",
    async check(world) {
      const [one] = await placeThree(world);
      await shows(world, { clientOrderId: "one" }, [one]);
      await shows(world, { clientOrderId: "on" }, []);
    },
  },
};

/** Rules of open orders. */
const open: NativeRules = {
  "the open orders of an account are listed by rising id, in one market or in all, at most `limit`": {
    remedy: "List NEW and PARTIALLY_FILLED orders only, and search with the account.",
    where: { open: true },
    async check(world) {
      const { native, put } = world;
      const [, two, three] = await placeThree(world);
      const filled = await put({ price: "105" });
      same("status of a filled order", filled.order.status, "FILLED");
      const ether = (await native.page({ ...MARKET, symbol: "ETH/USD", limit: 10 })).map(
        ({ orderId }) => orderId,
      );
      const listed = async (query: Partial<OpenNativeQuery>, due: readonly bigint[]): Promise<void> => {
        const orders = (await native.open?.({ accountId: 1, limit: 10, ...query })) ?? [];
        same(`orderIds of open in ${query.symbol ?? "all markets"}`, idsOf(orders), due);
      };
      await listed({ symbol: "BTC/USD" }, [two, three]);
      await listed({ symbol: "ETH/USD" }, ether);
      await listed({}, [two, three, ...ether]);
      same("length of open with limit 1", (await native.open?.({ accountId: 1, limit: 1 }))?.length, 1);
    },
  },
  "an order flow that declares no list of open orders has none": {
    remedy: "Leave the function out. The routes that need it answer that they do not exist.",
    where: { open: false },
    async check({ native }) {
      same("open", native.open, undefined);
    },
  },
};

/** Rules of executions. */
const executions: NativeRules = {
  "executions are listed oldest first, each with the order after it and an id of its own": {
    remedy:
      "Store every step of an order as an event, with the order as it was then. NEW comes before TRADE.",
    async check({ native, put, place }) {
      const startMs = place.nowMs();
      const { orderId } = (await put({ clientOrderId: "a" })).order;
      await place.pass(5);
      await put({ clientOrderId: "b", price: "105" });
      await place.pass(5);
      await native.cancel({ ...MARKET, orderId });
      const reported = await native.executions({ accountId: 1, limit: 10 });
      same("executions", eventsOf(reported), [
        "a NEW NEW",
        "b NEW NEW",
        "b TRADE FILLED",
        "a CANCELED CANCELED",
      ]);
      const timesMs = reported.map(({ timeMs }) => timeMs - startMs);
      same("their times after the start, in milliseconds", timesMs, [0, 5, 5, 10]);
      const [, , trade] = reported;
      same(
        "price and quantity of the trade",
        [trade?.lastPrice, trade?.lastQuantity],
        [price("101"), quantity("1")],
      );
      const executed = reported.map(({ order }) => formatQuantity(order.executedQuantity));
      same("executedQuantity of the orders after them", executed, ["0", "0", "1", "0"]);
      same("number of executionIds", new Set(reported.map(({ executionId }) => executionId)).size, 4);
    },
  },
  "executions are the newest `limit` of an account, and of one order, client id, market or time": {
    remedy: "Apply every member of the query. Both ends of the times are included.",
    async check({ native, put, place }) {
      const startMs = place.nowMs();
      const { orderId } = (await put({ clientOrderId: "a" })).order;
      await place.pass(5);
      await put({ clientOrderId: "b", symbol: "ETH/USD" });
      await put({ clientOrderId: "c", accountId: 2 });
      await native.cancel({ ...MARKET, orderId });
      const [placed, other, canceled] = ["a NEW NEW", "b NEW NEW", "a CANCELED CANCELED"] as const;
      for (const [query, due] of [
        [{ limit: 2 }, [other, canceled]],
        [{ orderId }, [placed, canceled]],
        [{ clientOrderId: "b" }, [other]],
        [{ symbol: "ETH/USD" }, [other]],
        [{ endTimeMs: startMs }, [placed]],
        [{ startTimeMs: startMs + 5 }, [other, canceled]],
        [{ startTimeMs: startMs + 6 }, []],
      ] as const) {
        const reported = await native.executions({ accountId: 1, ...{ limit: 10 }, ...query });
        same(`executions with ${Object.keys(query).join()}`, eventsOf(reported), due);
      }
    },
  },
  "executions are reported as they occur, before the answer, until the listener leaves": {
    remedy:
      "Tell the listeners when the execution is durable, in order, each once, and before the placement resolves.",
    async check({ native, put, quote, subscribe }) {
      const { received, leave } = subscribe();
      await put({ clientOrderId: "a" });
      same("executions at the time of the answer", eventsOf(received()), ["a NEW NEW"]);
      await quote("80", "81");
      same("executions after the market met the order", eventsOf(received()), [
        "a NEW NEW",
        "a TRADE FILLED",
      ]);
      same("the same as they are stored", received(), await native.executions({ accountId: 1, limit: 10 }));
      leave();
      await put({ price: "70" });
      same("number of executions after the listener has left", received().length, 2);
    },
  },
};

/** All rules of the native orders port. */
export const nativeOrdersRules: Readonly<Record<string, NativeRules>> = {
  ...{ placing, "one request, one order": requests, canceling: cancelling, finding, pages },
  ...{ "open orders": open, executions, restarts },
};

/**
 * Declares one test for each rule of the native orders port. Every test has a test system of its own, which it creates
 * and removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type;
 * a test that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type NativeOrdersPlace, testNativeOrders } from "managed-orders/conformance";
 *
 * export const declareTests = (createPlace: () => NativeOrdersPlace): void =>
 *   testNativeOrders({ describe, it }, {
 *     name: "my exchange",
 *     supports: { cancelIf: true, open: true, byAmount: false, notionals: true, commissions: true },
 *     createPlace,
 *   });
 * ```
 */
export function testNativeOrders(framework: TestFramework, subject: NativeOrdersSubject): void {
  nativeOrdersSubject(subject, "testNativeOrders");
  declareSuite(framework, {
    port: "native orders",
    subject,
    groups: nativeOrdersRules,
    open: (atEnd) => NativeWorld.create(subject, atEnd),
  });
}
