import { expect, it } from "vitest";
import { ExecutionIds } from "../../src/model/index.ts";
import type { EndedListPage } from "../../src/ports/index.ts";
import {
  endedLegs,
  endedList,
  endedOrder,
  keepEnded,
  keepLists,
  part,
  sampleRecord,
} from "./store-samples.ts";
import type { StoreWorld } from "./store-world.ts";

const DAY_MS = 86_400_000;

/** The port's rules for finding and reading ended lists. */
export function endedLists(world: StoreWorld): void {
  finding(world);
  paging(world);
}

function finding(world: StoreWorld): void {
  it("an ended list is found by either id, by its own account only", async () => {
    const list = endedList({
      listId: -256,
      accountId: 4,
      listClientOrderId: "pair",
      legs: [-512, -768, -1024],
    });
    await keepLists(world.store, [list]);
    const find = async (accountId: number, listClientOrderId: string) =>
      await world.store.findEndedList({ accountId, listClientOrderId });
    expect(await world.store.findEndedList({ accountId: 4, listId: -256 })).toEqual(list);
    expect(await find(4, "pair")).toEqual(list);
    expect(await world.store.findEndedList({ accountId: 5, listId: -256 })).toBeUndefined();
    expect(await world.store.findEndedList({ accountId: 4, listId: -512 })).toBeUndefined();
    expect(await find(5, "pair")).toBeUndefined();
    expect(await find(4, "Pair")).toBeUndefined();
  });

  it("a row of the same list replaces the earlier one", async () => {
    await keepLists(world.store, [endedList({ listId: -256, listClientOrderId: "before" })]);
    const later = endedList({
      listId: -256,
      listClientOrderId: "after",
      acceptedAtMs: 7,
      endedAtMs: 9,
      legs: [-1, -2],
    });
    await keepLists(world.store, [later]);
    expect(await world.store.findEndedList({ accountId: 1, listId: -256 })).toEqual(later);
    expect(await world.store.pageEndedLists({ accountId: 1, limit: 9 })).toEqual([later]);
    const before = { accountId: 1, listClientOrderId: "before" };
    expect(await world.store.findEndedList(before)).toBeUndefined();
  });

  it("I03: a client id names one list of an account while its row exists; parents have separate ids", async () => {
    const named = (listId: number, rest = {}) => endedList({ listId, listClientOrderId: "a", ...rest });
    const first = named(-256, { endedAtMs: 10 });
    await keepLists(world.store, [first], [endedOrder({ orderId: -1_024, clientOrderId: "a" })]);
    await expect(keepLists(world.store, [named(-2_560)])).rejects.toThrow("I03");
    expect(await world.store.findEndedList({ accountId: 1, listClientOrderId: "a" })).toEqual(first);
    await keepLists(world.store, [named(-5_120, { accountId: 2 })]);
    await world.store.deleteEnded({ beforeMs: 11, limit: 1 });
    await keepLists(world.store, [named(-2_560)]);
    expect(await world.store.findEndedList({ accountId: 1, listClientOrderId: "a" })).toEqual(named(-2_560));
  });

  it("I03: a batch in which two lists share a client id is refused completely", async () => {
    const lists = [-256, -2_560].map((listId) => endedList({ listId, listClientOrderId: "a" }));
    const [first] = lists;
    const ended = first === undefined ? [] : endedLegs(first);
    const refused = part(0, 1, { records: [sampleRecord(0, 1)], ended, endedLists: lists });
    await expect(world.store.append({ shards: [refused], marks: [] })).rejects.toThrow("I03");
    expect((await world.store.head(0)).sequence).toBe(0);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 0 });
    expect(await world.store.pageEndedLists({ accountId: 1, limit: 9 })).toEqual([]);
  });

  it("I60: the lists of a fenced shard are not written, those of the other shards are", async () => {
    const [fenced, kept] = [endedList({ listId: -256 }), endedList({ listId: -257 })];
    const shards = [part(0, 9, { endedLists: [fenced] }), part(1, 1, { endedLists: [kept] })];
    expect(await world.store.append({ shards, marks: [] })).toEqual(["fenced", "durable"]);
    expect(await world.store.pageEndedLists({ accountId: 1, limit: 9 })).toEqual([kept]);
  });

  it("I01: an ended list exists for the next handle, and reads are independent of the written objects", async () => {
    const list = endedList({ listId: -256 });
    await keepLists(world.store, [list]);
    const next = world.place.open();
    const read = await next.findEndedList({ accountId: 1, listId: -256 });
    expect(read).toEqual(list);
    expect(read?.legs).not.toBe(list.legs);
    await next.close();
  });
}

function paging(world: StoreWorld): void {
  const page = async (request: Omit<EndedListPage, "accountId">) => {
    const lists = await world.store.pageEndedLists({ accountId: 1, ...request });
    return lists.map(({ listId }) => listId);
  };
  /** Lists end in another order than they were created, and lists of another account and shard are among them. */
  const keep = async () => {
    const accepted = { 2: 2_000, 1: 1_000, 4: 4_000, 3: 3_000, 5: 4_000 };
    const lists = Object.entries(accepted).map(([n, acceptedAtMs]) =>
      endedList({ listId: -2_560 * Number(n), acceptedAtMs, endedAtMs: 9_000 - acceptedAtMs }),
    );
    await keepLists(world.store, [...lists, endedList({ listId: -2_600, accountId: 2 })]);
  };

  it("lists are read newest first, at most `limit`, of one account", async () => {
    await keep();
    expect(await page({ limit: 9 })).toEqual([-12_800, -10_240, -7_680, -5_120, -2_560]);
    expect(await page({ limit: 2 })).toEqual([-12_800, -10_240]);
    expect(await world.store.pageEndedLists({ accountId: 3, limit: 9 })).toEqual([]);
  });

  it("decision 36: both ends of the time are included, and the newest of the range are read", async () => {
    await keep();
    expect(await page({ startTimeMs: 2_000, endTimeMs: 4_000, limit: 9 })).toEqual([
      -12_800, -10_240, -7_680, -5_120,
    ]);
    expect(await page({ startTimeMs: 2_001, endTimeMs: 3_999, limit: 9 })).toEqual([-7_680]);
    expect(await page({ startTimeMs: 3_000, limit: 9 })).toEqual([-12_800, -10_240, -7_680]);
    expect(await page({ endTimeMs: 3_000, limit: 2 })).toEqual([-7_680, -5_120]);
    expect(await page({ startTimeMs: 4_001, limit: 9 })).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN])("a limit of %d is refused", async (limit) => {
    await expect(page({ limit })).rejects.toThrow(RangeError);
  });
}

/** The port's rules for deleting lists. */
export function listRetention(world: StoreWorld): void {
  const exists = async (orderId: number): Promise<boolean> =>
    (await world.store.findEnded({ accountId: 1, orderId })) !== undefined;

  it("a leg that ended long ago stays as long as its list, which may still be open", async () => {
    const list = endedList({ listId: -256, endedAtMs: 40 * DAY_MS });
    await keepEnded(world.store, endedLegs(list, 5));
    expect(await world.store.deleteEnded({ beforeMs: 30 * DAY_MS, limit: 9 })).toBe(0);
    await keepLists(world.store, [list]);
    expect(await world.store.deleteEnded({ beforeMs: list.endedAtMs, limit: 9 })).toBe(0);
    expect(await exists(-512)).toBe(true);
    expect(await world.store.findEndedList({ accountId: 1, listId: -256 })).toEqual(list);
  });

  it("a list is deleted with all its legs, and their client ids are free again", async () => {
    const list = endedList({ listId: -256, endedAtMs: 10, legs: [-512, -768, -1_024] });
    const other = endedList({ listId: -2_560, endedAtMs: 11 });
    await keepLists(world.store, [list, other], [...endedLegs(list, 4), ...endedLegs(other, 4)]);
    expect(await world.store.deleteEnded({ beforeMs: 11, limit: 9 })).toBe(4);
    expect(await Promise.all(list.legs.map(exists))).toEqual([false, false, false]);
    expect(await Promise.all(other.legs.map(exists))).toEqual([true, true]);
    expect(await world.store.pageEndedLists({ accountId: 1, limit: 9 })).toEqual([other]);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 2 });
    const again = endedList({ listId: -25_600, listClientOrderId: list.listClientOrderId });
    const leg = endedOrder({ orderId: -25_856, clientOrderId: "c512" });
    await keepLists(world.store, [again], [leg]);
    expect(await world.store.findEnded({ accountId: 1, clientOrderId: "c512" })).toEqual(leg);
  });

  it("a list without any leg in the store is deleted too", async () => {
    await keepLists(world.store, [endedList({ listId: -256, endedAtMs: 10 })]);
    expect(await world.store.deleteEnded({ beforeMs: 11, limit: 9 })).toBe(1);
    expect(await world.store.deleteEnded({ beforeMs: 11, limit: 9 })).toBe(0);
  });

  it("a leg that a late fill changed after its list ended is deleted with the list", async () => {
    const list = endedList({ listId: -256, endedAtMs: 10 });
    await keepLists(world.store, [list], endedLegs(list));
    const [leg, ...others] = endedLegs(list);
    if (leg === undefined) throw new Error("no leg");
    await keepEnded(world.store, [{ ...leg, executions: ExecutionIds.of(["e1", "late"]), lastSequence: 9 }]);
    expect(await world.store.deleteEnded({ beforeMs: 11, limit: 9 })).toBe(2 + others.length);
    expect(await world.store.countEnded({ accountId: 1, shard: 0 })).toMatchObject({ count: 0 });
  });

  it.each([1, 2, 3, 7, 1_000])(
    "with a limit of %i every call makes progress, never leaves a list without its legs, and the last returns 0",
    async (limit) => {
      const lists = [1, 2, 3, 4].map((n) => endedList({ listId: -2_560 * n, endedAtMs: n }));
      const single = (n: number) => endedOrder({ orderId: -256_000 * n, endedAtMs: n });
      const ended = [...lists.flatMap((list) => endedLegs(list)), single(1), single(2), single(9)];
      await keepLists(world.store, lists, ended);
      let gone = 0;
      for (;;) {
        const went = await world.store.deleteEnded({ beforeMs: 4, limit });
        if (went === 0) break;
        expect(went).toBeLessThan(limit + 3);
        gone += went;
        const left = await world.store.pageEndedLists({ accountId: 1, limit: 9 });
        for (const list of lists) {
          const kept = left.some(({ listId }) => listId === list.listId);
          expect(await Promise.all(list.legs.map(exists))).toEqual([kept, kept]);
        }
      }
      expect(gone).toBe(2 + 3 * 3);
      expect(await Promise.all([-10_496, -10_752, -2_304_000].map(exists))).toEqual([true, true, true]);
    },
  );
}
