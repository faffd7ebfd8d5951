import { refused, same } from "../../../src/conformance/checks.ts";
import { ExecutionIds } from "../../../src/model/index.ts";
import { endedOrder, keepEnded, part, sampleRecords } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

/** Rules of finding and counting ended parents. */
export const endedParents: StoreRules = rulesFor()({
  async "an ended parent is found by either id, by its own account only"({ store }) {
    const order = endedOrder({ orderId: -768, accountId: 4, clientOrderId: "mine" });
    await keepEnded(store, [order]);
    same("findEnded by id", await store.findEnded({ accountId: 4, orderId: -768 }), order);
    same("findEnded by client id", await store.findEnded({ accountId: 4, clientOrderId: "mine" }), order);
    same("findEnded by another account", await store.findEnded({ accountId: 5, orderId: -768 }), undefined);
    const foreign = await store.findEnded({ accountId: 5, clientOrderId: "mine" });
    same("findEnded by client id, another account", foreign, undefined);
    same('findEnded of "Mine"', await store.findEnded({ accountId: 4, clientOrderId: "Mine" }), undefined);
  },

  async "a row of the same order replaces the earlier one"({ store }) {
    const order = endedOrder({ orderId: -768 });
    await keepEnded(store, [order]);
    const filledLate = { ...order, executions: ExecutionIds.of(["e1", "late"]), lastSequence: 9 };
    await keepEnded(store, [filledLate]);
    same("findEnded after a late fill", await store.findEnded({ accountId: 1, orderId: -768 }), filledLate);
    const { count } = await store.countEnded({ accountId: 1, shard: 0 });
    same("countEnded after a late fill", count, 1);
  },

  async "I03: a client id names one parent of an account while its record exists"({ store }) {
    const first = endedOrder({ orderId: -256, clientOrderId: "a", endedAtMs: 10 });
    await keepEnded(store, [first]);
    const second = endedOrder({ orderId: -512, clientOrderId: "a" });
    await refused("append of a second parent with the client id", () => keepEnded(store, [second]));
    same("findEnded by the client id", await store.findEnded({ accountId: 1, clientOrderId: "a" }), first);
    await keepEnded(store, [endedOrder({ orderId: -768, accountId: 2, clientOrderId: "a" })]);
    await store.deleteEnded({ beforeMs: 11, limit: 1 });
    await keepEnded(store, [second]);
    const again = await store.findEnded({ accountId: 1, clientOrderId: "a" });
    same("findEnded after the first was deleted", again, second);
  },

  async "counts are of one account"({ store }) {
    const orders = [-256, -512, -768].map((orderId) =>
      endedOrder({ orderId, accountId: orderId === -768 ? 2 : 1 }),
    );
    await keepEnded(store, orders);
    const counts = [1, 2, 3].map((accountId) => store.countEnded({ accountId, shard: 0 }));
    const answered = (await Promise.all(counts)).map(({ count }) => count);
    same("countEnded of accounts 1, 2 and 3", answered, [2, 1, 0]);
  },

  async "a count comes with the last record of the shard that it includes"({ store }) {
    const count = (shard: number) => store.countEnded({ accountId: 1, shard });
    same("countEnded in an empty store", await count(0), { count: 0, sequence: 0 });
    const ended = [endedOrder({ orderId: -256 })];
    await store.append({ shards: [part(0, 1, { records: sampleRecords(0, 1, 3), ended })] });
    same("countEnded after three records", await count(0), { count: 1, sequence: 3 });
    same("countEnded for another shard", await count(1), { count: 1, sequence: 0 });
  },
});
