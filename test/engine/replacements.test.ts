import { describe, expect, it } from "vitest";
import type { CancelName, ReplaceMode, Replacement } from "../../src/engine/core/calls.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { decodeParents, encodeParents } from "../../src/wire/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO } from "../support/list-samples.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const STOP = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "2" } as const;
const at = (stopPrice: string, more: Partial<OrderFields> = {}): OrderFields =>
  ({ ...STOP, stopPrice, ...more }) as OrderFields;

const MODES: readonly ReplaceMode[] = ["STOP_ON_FAILURE", "ALLOW_FAILURE"];

type Asked = Readonly<{ order?: OrderFields; cancel?: CancelName; mode?: ReplaceMode; id?: string }>;

const replace = (world: World, old: ParentOrder, asked: Asked = {}): Promise<Replacement> => {
  const { order = at("95"), cancel = { orderId: old.orderId }, mode = "STOP_ON_FAILURE", id = "new" } = asked;
  const named = { ...order, newClientOrderId: id } as OrderFields;
  return world.engine.replace({ accountId: old.accountId, order: named, cancel, mode });
};

const openIds = async (world: World, { accountId }: ParentOrder): Promise<readonly string[]> => {
  const page = { includeHistory: false, newestFirst: false, limit: 100, afterOrderId: 0 };
  const { orders } = await world.engine.page({ accountId, ...page });
  return orders.map(({ intent }) => intent.clientOrderId).sort();
};

const see = (world: World, bid: string): unknown =>
  world.engine.market.quote({ symbol: "BTC/USD", bid, ask: "200" });

async function stopped(): Promise<Readonly<{ world: World; old: ParentOrder }>> {
  const world = await createWorld();
  await world.quote("110", "200");
  const old = await world.place(at("90", { newClientOrderId: "old" }));
  await world.engine.idle();
  return { world, old };
}

describe("a replacement", () => {
  it("ends the old order and accepts the new one in one record, also after a crash", async () => {
    const { world, old } = await stopped();
    const { canceled, order, created } = await replace(world, old);
    expect([created, canceled?.ended?.reason]).toEqual([true, "USER_CANCELED"]);
    expect(order?.replaces).toEqual({ orderId: old.orderId, clientOrderId: "old", canceled: true });
    expect(order?.lastSequence).toBe(canceled?.lastSequence);
    await world.crash();
    expect(await openIds(world, old)).toEqual(["new"]);
    expect(await world.order(order as ParentOrder)).toEqual(order);
    expect(decodeParents(encodeParents([order as ParentOrder]))).toEqual([order]);
    expect((await world.engine.verify()).equal).toBe(true);
    await world.quote("94", "200");
    expect(sentTo(world.venue)).toEqual(["SELL 2"]);
  });

  it("a copy is answered as the first, and cancels and places nothing, also after a restart and the end", async () => {
    const { world, old } = await stopped();
    const first = await replace(world, old);
    for (const cancel of [{ orderId: old.orderId }, { clientOrderId: "old" }])
      for (const mode of MODES)
        expect(await replace(world, old, { cancel, mode })).toEqual({ ...first, created: false });
    await world.crash();
    await world.quote("94", "200");
    await world.engine.idle();
    const late = await replace(world, old);
    expect([late.created, late.canceled?.orderId, late.order?.ended?.status]).toEqual([
      false,
      old.orderId,
      "FILLED",
    ]);
    expect(await openIds(world, old)).toEqual([]);
  });

  it("copies at the same time are one replacement", async () => {
    const { world, old } = await stopped();
    const answers = await Promise.all([replace(world, old), replace(world, old), replace(world, old)]);
    expect(answers.map(({ created }) => created).sort()).toEqual([false, false, true]);
    expect(new Set(answers.map(({ order }) => order?.orderId)).size).toBe(1);
    expect(await openIds(world, old)).toEqual(["new"]);
  });

  it("another request under the same client id is a duplicate, and nothing happens", async () => {
    const { world, old } = await stopped();
    await replace(world, old);
    const other = await world.place(at("80", { newClientOrderId: "other" }));
    for (const asked of [{ order: at("96") }, { cancel: { orderId: other.orderId } }, { id: "other" }])
      await expect(replace(world, old, asked)).rejects.toMatchObject({ reason: "DUPLICATE_ORDER" });
    expect(await openIds(world, old)).toEqual(["new", "other"]);
  });

  it("a refused new order leaves the old one live, in both modes", async () => {
    const { world, old } = await stopped();
    for (const mode of MODES) {
      const tiny = at("95", { quantity: "0.0001" });
      await expect(replace(world, old, { order: tiny, mode })).rejects.toMatchObject({ code: -1013 });
      const reducing = at("95", { reduceOnly: true });
      await expect(replace(world, old, { order: reducing, mode })).rejects.toMatchObject({
        reason: "REDUCE_ONLY_REJECTED",
      });
    }
    expect(await openIds(world, old)).toEqual(["old"]);
  });

  it("an unknown or ended old order: STOP_ON_FAILURE places nothing, ALLOW_FAILURE places, and a copy says so", async () => {
    const { world, old } = await stopped();
    await world.engine.cancel({ accountId: old.accountId, orderId: old.orderId });
    const NAMES: readonly CancelName[] = [{ orderId: old.orderId }, { clientOrderId: "no-such" }];
    for (const [index, cancel] of NAMES.entries()) {
      const id = `new-${index}`;
      await expect(replace(world, old, { cancel, id })).rejects.toMatchObject({ reason: "CANCEL_REJECTED" });
      expect(await openIds(world, old)).not.toContain(id);
      const placed = await replace(world, old, { cancel, id, mode: "ALLOW_FAILURE" });
      expect([placed.canceled, placed.created]).toEqual([undefined, true]);
      await world.crash();
      const copy = await replace(world, old, { cancel, id, mode: "ALLOW_FAILURE" });
      expect(copy).toMatchObject({ canceled: undefined, created: false });
      expect(copy.order?.orderId).toBe(placed.order?.orderId);
    }
    expect(await openIds(world, old)).toEqual(["new-0", "new-1"]);
  });

  it("an order of another market or account is unknown", async () => {
    const { world, old } = await stopped();
    const order = at("95", { symbol: "ETH/USD" });
    await expect(replace(world, old, { order })).rejects.toMatchObject({ reason: "CANCEL_REJECTED" });
    const stranger = { ...old, accountId: old.accountId + 1 };
    await expect(replace(world, stranger)).rejects.toThrow();
    expect(await openIds(world, old)).toEqual(["old"]);
  });

  it("the room of the old order counts as free", async () => {
    const world = await createWorld({ settings: { maxOpenParents: 1, maxOpenParentsPerAccount: 1 } });
    await world.quote("110", "200");
    const old = await world.place(at("90", { newClientOrderId: "old" }));
    await expect(world.place(at("90"))).rejects.toMatchObject({ code: -1008 });
    expect((await replace(world, old)).created).toBe(true);
    expect((await replace(world, old, { cancel: { clientOrderId: "new" }, id: "newer" })).created).toBe(true);
    expect(await openIds(world, old)).toEqual(["newer"]);
  });

  it("a leg of a list is refused without effect, in both modes, and says what to do", async () => {
    const world = await createWorld();
    await world.quote("100", "105");
    const { legs } = await world.placeList("oco", OCO);
    const [leg] = legs;
    for (const mode of MODES)
      await expect(replace(world, leg as ParentOrder, { mode })).rejects.toThrow(/Cancel the list/);
    expect(await openIds(world, leg as ParentOrder)).toHaveLength(2);
  });

  it("an order that does not meet the restriction stays, and nothing is placed, in both modes", async () => {
    const { world, old } = await stopped();
    for (const mode of MODES) {
      const cancel = { orderId: old.orderId, restriction: "ONLY_PARTIALLY_FILLED" as const };
      await expect(replace(world, old, { cancel, mode })).rejects.toMatchObject({
        reason: "CANCEL_RESTRICTED",
      });
    }
    expect(await openIds(world, old)).toEqual(["old"]);
  });
});

describe("while a child of the old order is not settled", () => {
  it.each(MODES)(
    "%s: the cancel is pending and the new order is not placed, also not by a later copy",
    async (mode) => {
      const { world, old } = await stopped();
      world.venue.onSubmit = () => "silence";
      await world.quote("89", "200");
      const answer = await replace(world, old, { mode });
      expect([answer.order, answer.created]).toEqual([undefined, false]);
      expect(answer.canceled).toMatchObject({ pendingEnd: { status: "CANCELED" }, unreplaced: "new" });
      const [child] = world.venue.submitted;
      expect(await replace(world, old, { mode })).toMatchObject({ order: undefined, created: false });
      world.venue.say(reported(child?.childId ?? "", "closed", [fillOf({ quantity: "1" })]));
      await world.engine.idle();
      expect(await world.status(old)).toBe("CANCELED CANCELED");
      await world.crash();
      const copy = await replace(world, old, { mode });
      expect([copy.order, copy.canceled?.ended?.reason]).toEqual([undefined, "USER_CANCELED"]);
      expect(await openIds(world, old)).toEqual([]);
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );

  it("a replacement of an order that is being canceled is not placed either, and a copy of it says so", async () => {
    const { world, old } = await stopped();
    world.venue.onSubmit = () => "silence";
    await world.quote("89", "200");
    await world.engine.cancel({ accountId: old.accountId, orderId: old.orderId });
    const mode = "ALLOW_FAILURE";
    expect((await replace(world, old, { mode })).order).toBeUndefined();
    await expect(replace(world, old, { mode, id: "newer" })).rejects.toMatchObject({ code: -2022 });
    const [child] = world.venue.submitted;
    world.venue.say(reported(child?.childId ?? "", "closed"));
    await world.engine.idle();
    expect((await replace(world, old, { mode })).order).toBeUndefined();
    expect(await openIds(world, old)).toEqual([]);
  });
});

it("a late fill of the old order stays a fact of it", async () => {
  const { world, old } = await stopped();
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.5" })]);
  await world.quote("89", "200");
  await turns();
  const [child] = world.venue.submitted;
  see(world, "110");
  await turns();
  const { canceled } = await replace(world, old, { order: at("80") });
  expect(canceled?.ended?.status).toBe("CANCELED");
  world.venue.say(reported(child?.childId ?? "", "closed", [fillOf({ quantity: "0.5", id: "late" })]));
  await world.engine.idle();
  expect(await world.facts(old)).toContain("ALERT");
  expect(await openIds(world, old)).toEqual(["new"]);
  expect((await world.engine.verify()).equal).toBe(true);
});

/** How the append of a replacement ends: durable, lost, or durable though the store says that it failed. */
type End = "kept" | "lost" | "unknown";

/** A replacement of a stop at 90, at a market of 110, whose append waits. */
async function held(order: OrderFields) {
  let finish: (end: End) => void = () => undefined;
  const { world, store } = await createFaultyWorld();
  await world.quote("110", "200");
  const old = await world.place(at("90", { newClientOrderId: "old" }));
  await world.engine.idle();
  const disk = store();
  const append = disk.append.bind(disk);
  const ends = new Promise<End>((resolve) => (finish = resolve));
  let isHeld = true;
  Object.assign(disk, {
    append: async (batch: Parameters<typeof append>[0]) => {
      if (!isHeld) return await append(batch);
      isHeld = false;
      const end = await ends;
      if (end === "lost") throw new Error("the store did not keep the append");
      const outcomes = await append(batch);
      if (end === "unknown") throw new Error("the store does not say");
      return outcomes;
    },
  });
  const replacing: Promise<unknown> = replace(world, old, { order }).catch((error: unknown) => error);
  await turns();
  expect(isHeld).toBe(false);
  return {
    ...{ world, old, replacing },
    async end(end: End) {
      finish(end);
      await replacing;
      await world.engine.idle();
    },
  };
}

const newOf = async (world: World, { accountId }: ParentOrder): Promise<ParentOrder | undefined> =>
  await world.engine.find({ accountId, clientOrderId: "new" });

describe("while the append of a replacement is under way", () => {
  it("a fire of the old level triggers the new order, once, and sends nothing before both are durable", async () => {
    for (const end of ["kept", "unknown"] as const)
      for (const level of ["95", "80"]) {
        const { world, old, replacing, end: finish } = await held(at(level, { quantity: "3" }));
        see(world, "89");
        await turns();
        see(world, "108");
        see(world, "89");
        see(world, "108");
        await turns();
        expect(sentTo(world.venue)).toEqual([]);
        await finish(end);
        expect(await replacing).toMatchObject({ created: true });
        expect(await world.status(old)).toBe("CANCELED CANCELED");
        expect(sentTo(world.venue)).toEqual(["SELL 3"]);
        expect((await newOf(world, old))?.trigger?.observed).toBe(8_900_000_000);
        expect((await world.engine.verify()).equal).toBe(true);
      }
  });

  it("if the store does not keep it, the fire is the old order's, though the price has gone back", async () => {
    for (const order of [at("95"), at("120", { type: "TAKE_PROFIT_MARKET" } as Partial<OrderFields>)]) {
      const { world, old, replacing, end } = await held(order);
      see(world, "89");
      await turns();
      see(world, "108");
      await end("lost");
      expect(await replacing).toMatchObject({ code: -1001 });
      expect(await newOf(world, old)).toBeUndefined();
      expect(await world.status(old)).toBe("FILLED FILLED");
      expect(sentTo(world.venue)).toEqual(["SELL 2"]);
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });

  it("a fire of the old level is not that of a new order which waits for something else", async () => {
    const { world, old, end } = await held(at("120", { type: "TAKE_PROFIT_MARKET" } as Partial<OrderFields>));
    see(world, "89");
    await turns();
    see(world, "108");
    await end("kept");
    expect(await openIds(world, old)).toEqual(["new"]);
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("121", "200");
    expect(sentTo(world.venue)).toEqual(["SELL 2"]);
  });

  it("the new level triggers nothing before the record is durable, and then what stands", async () => {
    for (const end of ["kept", "lost"] as const) {
      const { world, old, end: finish } = await held(at("95"));
      see(world, "94");
      await turns();
      expect(sentTo(world.venue)).toEqual([]);
      await finish(end);
      expect(sentTo(world.venue)).toEqual(end === "kept" ? ["SELL 2"] : []);
      expect(await world.status(old)).toBe(end === "kept" ? "CANCELED CANCELED" : "NEW WAITING");
    }
  });

  it("a cancel of either order follows it, and a crash leaves exactly one of the two", async () => {
    for (const end of ["kept", "lost"] as const) {
      const { world, old, end: finish } = await held(at("95"));
      const { accountId } = old;
      const canceling = world.engine
        .cancel({ accountId, clientOrderId: "old" })
        .catch((error: unknown) => error);
      await turns();
      await finish(end);
      await canceling;
      await world.crash();
      const open = await openIds(world, old);
      expect(end === "kept" ? [["new"]] : [["old"], []]).toContainEqual(open);
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });
});
