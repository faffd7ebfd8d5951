import { describe, expect, it } from "vitest";
import { createMemoryAccounts, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { ListIntent } from "../../src/model/index.ts";
import type { Accounts } from "../../src/ports/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createLateStore, type Fault, type LateStore } from "../support/late-store.ts";
import { OCO } from "../support/list-samples.ts";
import { accountEntry, createWorld, listOf, type World } from "../support/world.ts";

const { hostTimeoutMs, retryMaxMs } = DEFAULT_SETTINGS;
const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
const NOT_STORED = { code: -1001, status: 503 };
const NOT_KNOWN = { code: -1006, status: 500 };

async function lateWorld(): Promise<Readonly<{ world: World; late: LateStore }>> {
  const stores: LateStore[] = [];
  const world = await createWorld({
    store: (disk) => {
      const late = createLateStore(disk);
      stores.push(late);
      return late.store;
    },
  });
  const [late] = stores;
  if (late === undefined) throw new Error("no engine was opened");
  return { world, late };
}

/** Checks that the client ids of account 1's orders agree with the journal, and returns them. */
async function idsOf(world: World): Promise<readonly string[]> {
  expect((await world.engine.verify()).equal).toBe(true);
  const { orders, total } = await world.engine.page(PAGE);
  expect(total).toBe(orders.length);
  return orders.map(({ intent }) => intent.clientOrderId);
}

const placing = (world: World, newClientOrderId: string, accountId = 1): Promise<unknown> =>
  world.place({ price: "100", newClientOrderId }, accountId);

describe("an append that arrives after the shard was read again", () => {
  it("I02: is refused, so that a caller can rely on -1001", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late");
    await expect(placing(world, "first")).rejects.toMatchObject(NOT_STORED);
    expect(await late.land()).toEqual(["fenced"]);
    await placing(world, "second");
    expect(await idsOf(world)).toEqual(["second"]);
  });

  it("I01: is not mistaken for the record that a later caller waits for", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late");
    await expect(placing(world, "first")).rejects.toMatchObject(NOT_STORED);
    late.appends.push("lost");
    late.landBeforeRead();
    await expect(placing(world, "second")).rejects.toMatchObject(NOT_STORED);
    expect(await idsOf(world)).toEqual([]);
    await placing(world, "second");
    expect(await idsOf(world)).toEqual(["second"]);
  });

  it("I03: does not insert its record among records written meanwhile", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late", "late");
    for (const id of ["one", "one"]) await expect(placing(world, id)).rejects.toMatchObject(NOT_STORED);
    const order = await world.place({ price: "100", newClientOrderId: "one" });
    expect([await late.land(), await late.land()]).toEqual([["fenced"], ["fenced"]]);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(await idsOf(world)).toEqual(["one"]);
  });

  it("I01: is read back like any other if it arrives before the round begins", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late");
    late.fences.push("lost");
    await expect(placing(world, "first")).rejects.toMatchObject(NOT_KNOWN);
    expect(await late.land()).toEqual(["durable"]);
    await world.pass(retryMaxMs);
    expect(await idsOf(world)).toEqual(["first"]);
  });

  it("I02: each shard of a shared append is read and answered separately", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late");
    const both = [placing(world, "first"), placing(world, "other", 2)];
    for (const one of both) await expect(one).rejects.toMatchObject(NOT_STORED);
    expect(late.rounds).toEqual([1, 1]);
    await placing(world, "second");
    expect(await late.land()).toEqual(["fenced", "fenced"]);
    expect(await idsOf(world)).toEqual(["second"]);
    expect((await world.engine.page({ ...PAGE, accountId: 2 })).total).toBe(0);
  });

  it("I60: also if another engine owns the shard by then, which this engine's fence does not affect", async () => {
    const { world, late } = await lateWorld();
    const first = world.engine;
    const next = createMemoryStore({ disk: world.disk });
    late.appends.push("late");
    late.fences.push("late");
    const lost = placing(world, "first");
    await expect(lost).rejects.toMatchObject(NOT_KNOWN);
    const heads = await next.acquire();
    await late.landFence();
    expect(await late.land()).toEqual(["fenced"]);
    await world.clock.advanceBy(retryMaxMs, () => turns());
    expect(world.reported).toContain("shard.fenced");
    await expect(placing(world, "second")).rejects.toMatchObject(NOT_STORED);
    expect(
      await next.append({ shards: heads.map((head) => ({ ...head, round: 0, records: [], ended: [] })) }),
    ).toEqual(heads.map(() => "durable"));
    await first.close();
  });
});

describe("a fence that fails", () => {
  const cases: readonly (readonly [string, readonly Fault[]])[] = [
    ["is lost", ["lost"]],
    ["is applied and reported as failed", ["denied"]],
    ["is reported as failed twice", ["denied", "denied"]],
    ["is still in flight", ["late"]],
  ];
  it.each(cases)(
    "%s: the caller gets -1006, the fence is repeated, and the shard continues",
    async (_name, faults) => {
      const { world, late } = await lateWorld();
      late.appends.push("late");
      late.fences.push(...faults);
      await expect(placing(world, "first")).rejects.toMatchObject(NOT_KNOWN);
      await expect(placing(world, "second")).rejects.toMatchObject(NOT_STORED);
      for (const _ of faults) await world.pass(retryMaxMs);
      expect(late.rounds).toEqual(counted(faults.length + 1));
      expect(await late.land()).toEqual(["fenced"]);
      await placing(world, "second");
      await late.landFence();
      await placing(world, "third");
      expect(await idsOf(world)).toEqual(["second", "third"]);
      expect(world.reported).not.toContain("append.refused");
    },
  );

  it("is not answered: after hostTimeoutMs the fence is repeated", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late");
    late.fences.push("silent");
    const lost = placing(world, "first").catch((error: unknown) => error);
    await world.clock.advanceBy(hostTimeoutMs, () => turns());
    expect(await lost).toMatchObject(NOT_KNOWN);
    await world.pass(retryMaxMs);
    expect(late.rounds).toEqual([1, 2]);
    await placing(world, "second");
    expect(await idsOf(world)).toEqual(["second"]);
  });

  it("is not answered while the engine closes: the caller gets -1006, and the close ends", async () => {
    const { world, late } = await lateWorld();
    late.appends.push("late");
    late.fences.push("silent");
    const lost = placing(world, "first").catch((error: unknown) => error);
    await turns();
    const closing = world.engine.close();
    await world.clock.advanceBy(world.engine.settings.closeTimeoutMs, () => turns());
    await closing;
    expect(await lost).toMatchObject(NOT_KNOWN);
  });
});

describe("a store that accepts an append of an earlier round nevertheless", () => {
  it("I02: a caller gets the result of its own record, not of the one in its place", async () => {
    const { world, late } = await lateWorld();
    const { store } = late;
    // A store must not do this: it answers yes and begins no round.
    Object.assign(store, { fence: async () => undefined });
    late.appends.push("late");
    await expect(placing(world, "first")).rejects.toMatchObject(NOT_STORED);
    late.appends.push("lost");
    late.landBeforeRead();
    const batch = placing(world, "second");
    await expect(batch).rejects.toMatchObject({ code: -1001 });
  });
});

const counted = (length: number): readonly number[] => Array.from({ length }, (_, index) => index + 1);

/** A world in which the store keeps an append without saying so, and cannot be read for as long as the test wants. */
type UnknownWorld = Readonly<{
  world: World;
  /** Places something whose outcome stays unknown. */
  lose(place: () => Promise<unknown>): Promise<void>;
  /** The store can be read again. */
  find(): Promise<void>;
  /** Holds what the host says about accounts. */
  answers: Gate;
}>;

async function unknownWorld(): Promise<UnknownWorld> {
  const appends: (readonly "denied"[])[] = [];
  let isUnreadable = false;
  const answers = createGate();
  const known = createMemoryAccounts([accountEntry(1)]);
  const accounts: Accounts = {
    ...known,
    async account(accountId) {
      await answers.pass();
      return await known.account(accountId);
    },
  };
  const world = await createWorld({
    accounts,
    store: (disk) => {
      const late = createLateStore(disk);
      const { append, head } = late.store;
      return {
        ...late.store,
        append: (batch) => {
          late.appends.push(...(appends.shift() ?? []));
          return append(batch);
        },
        async head(shard) {
          if (isUnreadable) throw new Error("the store cannot read");
          return await head(shard);
        },
      };
    },
  });
  return {
    world,
    async lose(place) {
      isUnreadable = true;
      appends.push(["denied"]);
      await expect(place()).rejects.toMatchObject({ code: -1006 });
    },
    async find() {
      isUnreadable = false;
      await world.pass(world.engine.settings.retryMinMs);
    },
    answers,
  };
}

/** Legs without ids of their own: each request generates others. */
const exit = (): ListIntent => listOf("oco", { ...OCO, listClientOrderId: "exit-1" });
const BUSY = { code: -1001, reason: "DISCONNECTED" };

describe("while it is unknown whether an acceptance is durable", () => {
  it("I03: a copy of a list that waits for the host meanwhile is not placed as another list", async () => {
    const { world, lose, find, answers } = await unknownWorld();
    await lose(() => world.engine.placeList({ accountId: 1, list: exit() }));
    answers.shut();
    const copy = world.engine.placeList({ accountId: 1, list: exit() }).catch((error: unknown) => error);
    await turns();
    await find();
    answers.open();
    expect(await copy).toMatchObject(BUSY);
    expect(await world.engine.placeList({ accountId: 1, list: exit() })).toMatchObject({ created: false });
    expect((await world.engine.cancelAll(1)).matchedCount).toBe(2);
    await world.engine.idle();
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I71: an order is neither there nor not there, for reads and for cancels", async () => {
    const { world, lose, find } = await unknownWorld();
    const key = { accountId: 1, clientOrderId: "mine" };
    await lose(() => world.place({ price: "100", newClientOrderId: "mine" }));
    await expect(world.engine.find(key)).rejects.toMatchObject(BUSY);
    await expect(world.engine.cancel(key)).rejects.toMatchObject(BUSY);
    await find();
    const { orderId } = (await world.engine.find(key)) ?? { orderId: 0 };
    expect(orderId).toBeLessThan(0);
    expect((await world.engine.cancel(key)).ended?.status).toBe("CANCELED");
  });

  it("I71: a list is neither there nor not there, for reads and for cancels", async () => {
    const { world, lose, find } = await unknownWorld();
    const key = { accountId: 1, listClientOrderId: "exit-1" };
    await lose(() => world.engine.placeList({ accountId: 1, list: exit() }));
    await expect(world.engine.findList(key)).rejects.toMatchObject(BUSY);
    await expect(world.engine.cancelList(key)).rejects.toMatchObject(BUSY);
    await find();
    expect((await world.engine.findList(key))?.legs).toHaveLength(2);
    expect((await world.engine.cancelList(key)).legs.map(({ ended }) => ended?.status)).toEqual([
      "CANCELED",
      "CANCELED",
    ]);
  });

  it("I71: pages of the account are refused, and show everything afterwards", async () => {
    const { world, lose, find } = await unknownWorld();
    await lose(() => world.engine.placeList({ accountId: 1, list: exit() }));
    await expect(world.engine.page(PAGE)).rejects.toMatchObject(BUSY);
    await expect(world.engine.openLists({ accountId: 1, limit: 10 })).rejects.toMatchObject(BUSY);
    await expect(world.engine.allLists({ accountId: 1, limit: 10 })).rejects.toMatchObject(BUSY);
    await find();
    expect((await world.engine.page(PAGE)).total).toBe(2);
    expect(await world.engine.openLists({ accountId: 1, limit: 10 })).toHaveLength(1);
  });

  it("I71: the same if the store has not answered in time, until it does", async () => {
    const { world, store } = await createFaultyWorld();
    const open = await world.place({ price: "90" });
    store().inject("slow", 1);
    const placing = world.place({ price: "100" });
    await turns();
    expect((await world.engine.page(PAGE)).orders).toEqual([open]);
    const given = expect(placing).rejects.toMatchObject({ code: -1006 });
    await world.clock.advanceBy(world.engine.settings.hostTimeoutMs, () => turns());
    await given;
    await expect(world.engine.page(PAGE)).rejects.toMatchObject(BUSY);
    store().release();
    await world.engine.idle();
    expect((await world.engine.page(PAGE)).total).toBe(2);
  });

  it("I71: other orders of the account are answered as before", async () => {
    const { world, lose } = await unknownWorld();
    const other = await world.place({ price: "90", newClientOrderId: "other" });
    await lose(() => world.place({ price: "100", newClientOrderId: "mine" }));
    expect(await world.status(other)).toBe("NEW WAITING");
    expect(await world.engine.find({ accountId: 1, clientOrderId: "none" })).toBeUndefined();
    await expect(world.engine.cancel({ accountId: 1, clientOrderId: "none" })).rejects.toMatchObject({
      code: -2011,
    });
  });
});
