import { quantity } from "../../decimal/index.ts";
import { holds, same } from "../checks.ts";
import { fillsOf, lineOf, MARKET, type NativeRules, nativeOf, refusalOf } from "./world.ts";

const KEY_REMEDY =
  "Store `requestKey` with the order, in one transaction and under a unique key of account and key. Look it up before anything else.";

/** Rules of one request, one order. */
export const requests: NativeRules = {
  "hostile 22: the same request answers with its order, however often and at once": {
    remedy: KEY_REMEDY,
    async check({ native }) {
      const placement = nativeOf({ price: "105" });
      const placed = await Promise.all(Array.from({ length: 100 }, () => native.place(placement)));
      same("number of orders", new Set(placed.map(({ order }) => order.orderId)).size, 1);
      same("number of answers that created it", placed.filter(({ created }) => created).length, 1);
      const lengths = [...new Set(placed.map(({ fills }) => fills.length))];
      same("number of fills in each answer", lengths, [1]);
      same("length of the page", (await native.page({ ...MARKET, limit: 9 })).length, 1);
    },
  },
  "also after its order has ended, with its present state": {
    remedy: `${KEY_REMEDY} Keep it as long as the order.`,
    async check({ native }) {
      const placement = nativeOf();
      const { order } = await native.place(placement);
      await native.cancel({ ...MARKET, orderId: order.orderId });
      const again = await native.place(placement);
      same(
        "the same placement after its order was canceled",
        [again.created, again.order.orderId, again.order.status],
        [false, order.orderId, "CANCELED"],
      );
    },
  },
  "a request is known once it has placed an order, with the order's present state": {
    remedy: "Return undefined for a request that placed nothing, also after a refusal.",
    async check({ native, quote }) {
      const placement = nativeOf();
      same("findRequest before the placement", await native.findRequest(placement), undefined);
      await refusalOf(native.place({ ...placement, quantity: quantity("100000") }));
      same("findRequest after a refusal", await native.findRequest(placement), undefined);
      await native.place(placement);
      const placed = await native.findRequest(placement);
      same("findRequest after the placement", [placed?.created, placed?.order.status], [false, "NEW"]);
      const foreign = await native.findRequest({ ...placement, accountId: 2 });
      same("findRequest for another account", foreign, undefined);
      await quote("80", "81");
      const filled = await native.findRequest(placement);
      same(
        "findRequest after the fill",
        [filled?.order.status, fillsOf(filled?.fills ?? []).length],
        ["FILLED", 1],
      );
    },
  },
  "the same key of another account is another request": {
    remedy: "Make the account a part of the key.",
    async check({ put }) {
      const first = await put({ requestKey: "shared" });
      const second = await put({ requestKey: "shared", accountId: 2 });
      same("created, for two accounts", [first.created, second.created], [true, true]);
    },
  },
};

const missing = (): Promise<never> => Promise.reject(new Error("there is no cancelIf"));

/** Rules of canceling. */
export const cancelling: NativeRules = {
  "an order is canceled by either id; the second time there is nothing to cancel": {
    remedy:
      "Resolve to the order when the cancel is durable, with the reason USER_CANCELED; to undefined if it has ended.",
    async check({ put, native }) {
      const { orderId } = (await put()).order;
      await put({ clientOrderId: "mine" });
      for (const key of [
        { ...MARKET, orderId },
        { ...MARKET, clientOrderId: "mine" },
      ]) {
        const canceled = await native.cancel(key);
        same("the canceled order", [canceled?.status, canceled?.reason], ["CANCELED", "USER_CANCELED"]);
        same("the second cancel", await native.cancel(key), undefined);
        same("the order as it is found", (await native.find(key))?.status, "CANCELED");
      }
    },
  },
  "a canceled order executes nothing more": {
    remedy: "Take the order off the book in the step that makes the cancel durable.",
    async check({ put, native, quote, orderOf }) {
      const { orderId } = (await put()).order;
      await native.cancel({ ...MARKET, orderId });
      await quote("80", "81");
      const found = await orderOf(orderId);
      same("the canceled order after the market met it", found && lineOf(found), "CANCELED BUY 0/1");
    },
  },
  "cancelIf cancels only an order that meets the condition, and changes no other": {
    remedy:
      'Check the condition in the step that cancels. Reject with `new OrderError("CANCEL_RESTRICTED")` otherwise.',
    where: { cancelIf: true },
    async check({ put, native }) {
      const { orderId } = (await put()).order;
      const key = { ...MARKET, orderId };
      const { cancelIf = missing } = native;
      same(
        "cancelIf ONLY_PARTIALLY_FILLED of a NEW order",
        await refusalOf(cancelIf(key, "ONLY_PARTIALLY_FILLED")),
        "CANCEL_RESTRICTED",
      );
      same("its status", (await native.find(key))?.status, "NEW");
      same("cancelIf ONLY_NEW", (await cancelIf(key, "ONLY_NEW"))?.status, "CANCELED");
      same("cancelIf ONLY_NEW again", await cancelIf(key, "ONLY_NEW"), undefined);
    },
  },
  "an order flow that declares no cancelIf has none": {
    remedy:
      "Leave the function out. The service refuses the condition then; a function that ignores it would cancel.",
    where: { cancelIf: false },
    async check({ native }) {
      same("cancelIf", native.cancelIf, undefined);
    },
  },
  "hostile 91: of two cancels at once, one cancels": {
    remedy: "Let the stored state of the order decide, in the transaction that changes it.",
    async check({ put, native }) {
      const key = { ...MARKET, orderId: (await put()).order.orderId };
      const canceled = await Promise.all([native.cancel(key), native.cancel(key)]);
      same("number of cancels with an order", canceled.filter((order) => order !== undefined).length, 1);
    },
  },
  "I52: a cancel of an unknown, foreign, other-market or filled order changes nothing": {
    remedy: "Search with account, market and id together.",
    async check({ put, native, orderOf }) {
      const { orderId } = (await put({ clientOrderId: "open" })).order;
      const filled = (await put({ price: "105", clientOrderId: "filled" })).order;
      for (const key of [
        { ...MARKET, orderId: orderId + 1_000n },
        { ...MARKET, accountId: 2, orderId },
        { ...MARKET, accountId: 2, clientOrderId: "open" },
        { ...MARKET, symbol: "ETH/USD", orderId },
        { ...MARKET, symbol: "ETH/USD", clientOrderId: "open" },
        { ...MARKET, orderId: filled.orderId },
        { ...MARKET, clientOrderId: "filled" },
        { ...MARKET, clientOrderId: "nothing" },
      ])
        same(`cancel of account ${key.accountId} in ${key.symbol}`, await native.cancel(key), undefined);
      same("the open order", (await orderOf(orderId))?.status, "NEW");
      same("the filled order", await orderOf(filled.orderId), filled);
    },
  },
};

/** Rules of a restart. */
export const restarts: NativeRules = {
  "I01: a restart restores orders, ids and executions exactly; resting orders continue": {
    remedy: "Read everything from durable storage at the start, also the next id and the client ids in use.",
    async check(world) {
      const placement = nativeOf({ clientOrderId: "kept" });
      await world.native.place(placement);
      const ended = nativeOf({ price: "105", quantity: "0.000001" });
      await world.native.place(ended);
      const { orderId } = (await world.put()).order;
      await world.native.cancel({ ...MARKET, orderId });
      const query = { ...MARKET, limit: 10 };
      const [page, executions] = [await world.native.page(query), await world.native.executions(query)];
      await world.restart();
      const { native } = world;
      same("page after a restart", await native.page(query), page);
      same("executions after a restart", await native.executions(query), executions);
      const again = await native.place(placement);
      same("the first request again", [again.created, again.order.clientOrderId], [false, "kept"]);
      const repeated = await native.place(ended);
      same(
        "the request of an order that had ended again",
        [repeated.created, repeated.order.clientOrderId, (await native.findRequest(ended))?.created],
        [false, ended.clientOrderId, false],
      );
      const taken = await refusalOf(native.place(nativeOf({ clientOrderId: "kept" })));
      same("another request under its client id", taken, "DUPLICATE_ORDER");
      const next = (await world.put()).order.orderId;
      holds("the next orderId", next > orderId, `an id above ${orderId}`, next);
      await world.quote("80", "81");
      const stored = await native.find({ ...MARKET, clientOrderId: "kept" });
      same("the resting order after the market met it", stored && lineOf(stored), "FILLED BUY 1/1");
    },
  },
  "I01: everything that was answered is durable, also if the process cannot close": {
    remedy: "Resolve a placement only when its order would survive the end of the process.",
    async check(world) {
      const placed = await Promise.all(Array.from({ length: 20 }, () => world.put()));
      await world.reopen();
      const page = await world.native.page({ ...MARKET, limit: 50 });
      const [ids, due] = [page, placed.map(({ order }) => order)].map((orders) =>
        orders.map(({ orderId }) => orderId),
      );
      same("orderIds on the page of the next process", ids, due);
    },
  },
};
