import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createLateStore, type Fault, type LateStore } from "../support/late-store.ts";
import { createWorld, type World } from "../support/world.ts";

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

describe("decision FA: an append that arrives after the shard was read again", () => {
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

describe("decision FA: a fence that fails", () => {
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

  it("decision ED: is not answered while the engine closes: the caller gets -1006, and the close ends", async () => {
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

describe("decision FA: a store that accepts an append of an earlier round nevertheless", () => {
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
