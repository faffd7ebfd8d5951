import { describe, expect, it } from "vitest";
import type { CancelName } from "../../src/engine/core/calls.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { decodeParents, encodeParents } from "../../src/wire/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO } from "../support/list-samples.ts";
import {
  at,
  failed,
  faulty,
  heldReplacing,
  holdAppend,
  MODES,
  openIds,
  replace,
  see,
} from "../support/replacing-world.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

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

  it("a name of the order before that no order can have is refused, and names the field", async () => {
    const { world, old } = await stopped();
    for (const [cancel, code] of [
      [{ clientOrderId: "\ud800" }, -1100],
      [{ clientOrderId: "x".repeat(65) }, -1100],
      [{ clientOrderId: "" }, -1119],
      [{ orderId: 1.5 }, -1130],
      [{ orderId: 2 ** 60 }, -1130],
    ] as const)
      for (const mode of MODES)
        await expect(replace(world, old, { cancel, mode }), JSON.stringify(cancel)).rejects.toMatchObject({
          code,
          field: expect.any(String) as string,
        });
    expect(await openIds(world, old)).toEqual(["old"]);
  });

  it("needs no room at the limit of open orders, also while others are being stored", async () => {
    const { world, store } = await createFaultyWorld({
      settings: { maxOpenParents: 3, maxOpenParentsPerAccount: 3 },
    });
    const olds: ParentOrder[] = [];
    for (const n of [0, 1, 2]) olds.push(await world.place(at("90", { newClientOrderId: `old-${n}` })));
    const { finish } = holdAppend(store);
    const all = Promise.all(olds.map((old, n) => replace(world, old, { id: `new-${n}` }).catch(failed)));
    await turns();
    finish("kept");
    expect(await all).toMatchObject([{ created: true }, { created: true }, { created: true }]);
    expect(await openIds(world, olds[0] as ParentOrder)).toEqual(["new-0", "new-1", "new-2"]);
    await expect(world.place(at("90"))).rejects.toMatchObject({ code: -1008 });
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
      for (const order of [at("95"), at("96")])
        expect(await replace(world, old, { mode, order })).toMatchObject({
          order: undefined,
          created: false,
        });
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

  it.each(MODES)(
    "%s: a copy before that cancel is durable waits for it, and is answered as the first",
    async (mode) => {
      for (const isClosed of [false, true]) {
        const { world, store, old } = await faulty();
        world.venue.onSubmit = () => "silence";
        await world.quote("89", "200");
        const [child] = world.venue.submitted;
        const { replacing, end } = await heldReplacing({ world, store }, old, { mode });
        if (isClosed) world.venue.say(reported(child?.childId ?? "", "closed", [fillOf({ quantity: "1" })]));
        await turns();
        let isAnswered = false;
        const copy = replace(world, old, { mode }).finally(() => (isAnswered = true));
        await turns();
        expect(isAnswered).toBe(false);
        await end("kept");
        for (const answer of [await replacing, await copy])
          expect(answer).toMatchObject({ order: undefined, created: false, canceled: { unreplaced: "new" } });
        expect(await openIds(world, old)).toEqual(isClosed ? [] : ["old"]);
      }
    },
  );

  it("a copy whose order ends for good while the host is asked is answered as the first", async () => {
    const { world, store, old } = await faulty();
    world.venue.onSubmit = () => "silence";
    await world.quote("89", "200");
    const [child] = world.venue.submitted;
    const mode = "ALLOW_FAILURE";
    const { end } = await heldReplacing({ world, store }, old, { mode });
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const account = world.accounts.account.bind(world.accounts);
    Object.assign(world.accounts, { account: (id: number) => asked.then(() => account(id)) });
    const copy = replace(world, old, { mode });
    await turns();
    await end("kept");
    world.venue.say(reported(child?.childId ?? "", "closed"));
    await world.engine.idle();
    expect(await openIds(world, old)).toEqual([]);
    answer();
    expect(await copy).toMatchObject({ order: undefined, created: false, canceled: { unreplaced: "new" } });
    expect(await openIds(world, old)).toEqual([]);
  });

  it("an order whose last child is looked up is not replaced yet, and the refusal says what to do", async () => {
    const { world, old } = await stopped();
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.5" })]);
    world.venue.onClosedLookup = () => new Promise(() => undefined);
    await world.quote("89", "200");
    const [child] = world.venue.submitted;
    for (const mode of MODES)
      await expect(replace(world, old, { mode })).rejects.toThrow(/looked up.*Send the request again/);
    expect(await openIds(world, old)).toEqual(["old"]);
    world.venue.say(reported(child?.childId ?? "", "closed", [fillOf({ quantity: "1.5", id: "late" })]));
    await world.engine.idle();
    expect(await world.status(old)).toBe("FILLED FILLED");
    expect(sentTo(world.venue)).toEqual(["SELL 2"]);
  });

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
