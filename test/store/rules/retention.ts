import { holds, same } from "../../../src/conformance/checks.ts";
import { ExecutionIds } from "../../../src/model/index.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { endedLegs, endedList, endedOrder, keepEnded, keepLists } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const DAY_MS = 86_400_000;

const exists = async (store: OrderStore, orderId: number): Promise<boolean> =>
  (await store.findEnded({ accountId: 1, orderId })) !== undefined;

/** Deletes, and compares the number of deleted rows. */
async function deletes(store: OrderStore, beforeMs: number, limit: number, expected: number): Promise<void> {
  const call = `deleteEnded before ${beforeMs}, limit ${limit}`;
  same(call, await store.deleteEnded({ beforeMs, limit }), expected);
}

async function deleteAll(store: OrderStore, limit: number): Promise<void> {
  const lists = [1, 2, 3, 4].map((n) => endedList({ listId: -2_560 * n, endedAtMs: n }));
  const single = (n: number) => endedOrder({ orderId: -256_000 * n, endedAtMs: n });
  const ended = [...lists.flatMap((list) => endedLegs(list)), single(1), single(2), single(9)];
  await keepLists(store, lists, ended);
  const call = `deleteEnded before 4, limit ${limit}`;
  let gone = 0;
  for (;;) {
    const went = await store.deleteEnded({ beforeMs: 4, limit });
    if (went === 0) break;
    gone += went;
    holds(call, went < limit + 3 && gone <= 11, "no more rows than the limit and one list", went);
    const left = await store.pageEndedLists({ accountId: 1, limit: 9 });
    for (const list of lists) {
      const stored = left.some(({ listId }) => listId === list.listId);
      const legs = await Promise.all(list.legs.map((leg) => exists(store, leg)));
      same(`${call}: the legs of a list that ${stored ? "exists" : "is gone"}`, legs, [stored, stored]);
    }
  }
  same(`${call}, all calls: number of rows`, gone, 2 + 3 * 3);
  const stored = await Promise.all([-10_496, -10_752, -2_304_000].map((id) => exists(store, id)));
  same(`${call}: rows that ended at or after the time exist`, stored, [true, true, true]);
}

/** Rules of deleting ended parents and lists. */
export const retention: StoreRules = rulesFor()({
  async "deletes parents that ended before the time, at most `limit` at once, and returns their number"({
    store,
  }) {
    const orders = [40, 10, 30, 20].map((endedAtMs) => endedOrder({ orderId: -256 * endedAtMs, endedAtMs }));
    await keepEnded(store, orders);
    await deletes(store, 10, 9, 0);
    await deletes(store, 40, 2, 2);
    same("countEnded", (await store.countEnded({ accountId: 1, shard: 0 })).count, 2);
    await deletes(store, 40, 2, 1);
    await deletes(store, 40, 2, 0);
    const left = await store.readEnded({ shard: 0, afterOrderId: 0, limit: 9 });
    same("readEnded", left, orders.slice(0, 1));
    const gone = await store.findEnded({ accountId: 1, clientOrderId: "c7680" });
    same("findEnded of a deleted parent by client id", gone, undefined);
  },

  async "a leg that ended long ago stays as long as its list, which may still be open"({ store }) {
    const list = endedList({ listId: -256, endedAtMs: 40 * DAY_MS });
    await keepEnded(store, endedLegs(list, 5));
    await deletes(store, 30 * DAY_MS, 9, 0);
    await keepLists(store, [list]);
    await deletes(store, list.endedAtMs, 9, 0);
    for (const leg of list.legs)
      holds(`findEnded of leg ${leg}`, await exists(store, leg), "the leg", undefined);
  },

  async "a list is deleted with all its legs, and their client ids are free again"({ store }) {
    const list = endedList({ listId: -256, endedAtMs: 10, legs: [-512, -768, -1_024] });
    const other = endedList({ listId: -2_560, endedAtMs: 11 });
    await keepLists(store, [list, other], [...endedLegs(list, 4), ...endedLegs(other, 4)]);
    await deletes(store, 11, 9, 4);
    const legs = [...list.legs, ...other.legs];
    const stored = await Promise.all(legs.map((leg) => exists(store, leg)));
    same(`the legs ${legs.join(", ")} exist`, stored, [false, false, false, true, true]);
    same("pageEndedLists", await store.pageEndedLists({ accountId: 1, limit: 9 }), [other]);
    same("countEnded", (await store.countEnded({ accountId: 1, shard: 0 })).count, 2);
    const again = endedList({ listId: -25_600, listClientOrderId: list.listClientOrderId });
    const leg = endedOrder({ orderId: -25_856, clientOrderId: "c512" });
    await keepLists(store, [again], [leg]);
    same(
      "findEnded by the freed client id",
      await store.findEnded({ accountId: 1, clientOrderId: "c512" }),
      leg,
    );
  },

  async "a list without any leg in the store is deleted too"({ store }) {
    await keepLists(store, [endedList({ listId: -256, endedAtMs: 10 })]);
    await deletes(store, 11, 9, 1);
    await deletes(store, 11, 9, 0);
  },

  async "a leg that a late fill changed after its list ended is deleted with the list"({ store }) {
    const list = endedList({ listId: -256, endedAtMs: 10 });
    const legs = endedLegs(list);
    await keepLists(store, [list], legs);
    const executions = ExecutionIds.of(["e1", "late"]);
    await keepEnded(
      store,
      legs.slice(0, 1).map((leg) => ({ ...leg, executions, lastSequence: 9 })),
    );
    await deletes(store, 11, 9, 3);
    same("countEnded", (await store.countEnded({ accountId: 1, shard: 0 })).count, 0);
  },

  async "with any limit every call makes progress, never leaves a list without its legs, and the last returns 0"({
    elsewhere,
  }) {
    for (const limit of [1, 2, 3, 7, 1_000]) {
      const store = await elsewhere();
      await store.acquire();
      await deleteAll(store, limit);
    }
  },
});
