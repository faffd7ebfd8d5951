import { describe, expect, it } from "vitest";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { legOf, OCO, OTO } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL } from "../support/world.ts";

const MAKER = { type: "LIMIT_MAKER", price: "100" } as const;
const WOULD_MATCH = { code: -2010, msg: "Order would immediately match and take." };

describe("decision 21: a post-only order at admission", () => {
  it.each([
    ["BUY", "99", "100", true],
    ["BUY", "99", "100.00000001", false],
    ["SELL", "100", "101", true],
    ["SELL", "99.99999999", "101", false],
  ] as const)("%s at 100 against %s / %s: refused %s", async (side, bid, ask, refused) => {
    const world = await createWorld();
    await world.quote(bid, ask);
    const placing = world.place({ ...MAKER, side });
    if (refused) {
      await expect(placing).rejects.toMatchObject(WOULD_MATCH);
      expect(world.engine.metrics()).toMatchObject({ openParents: 0, journalSequence: 0 });
    } else expect((await placing).postOnlyCleared).toBe(true);
  });

  it("a stale quote refuses nothing: the order meets the next one as its first", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.pass(5_001, { heartbeat: false });
    const order = await world.place(MAKER);
    expect(order.postOnlyCleared).toBeUndefined();
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("REJECTED REJECTED");
  });

  it("GTX and POST_ONLY select it", async () => {
    const world = await createWorld();
    await world.quote("98", "99");
    for (const timeInForce of ["GTX", "POST_ONLY"] as const)
      await expect(world.place({ type: "LIMIT", price: "100", timeInForce })).rejects.toMatchObject(
        WOULD_MATCH,
      );
  });
});

describe("decision 21: without a counted quote", () => {
  it("it waits for the first, and is REJECTED if that one crosses", async () => {
    const world = await createWorld();
    const order = await world.place(MAKER);
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("REJECTED REJECTED");
    expect((await world.order(order)).ended?.reason).toBe("WOULD_MATCH_IMMEDIATELY");
    await world.quote("90", "91");
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("it posts on one that does not cross, and executes when the market reaches it", async () => {
    const world = await createWorld();
    const order = await world.place(MAKER);
    await world.quote("100", "101");
    expect(await world.facts(order)).toEqual(["ACCEPTED", "POSTED"]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("I30: a quote that does not count decides nothing", async () => {
    const world = await createWorld();
    const order = await world.place(MAKER);
    expect(await world.quote("0", "90")).toBe("zero");
    expect(await world.quote("90", "80")).toBe("crossed");
    expect(await world.quote("90", "91", { timeMs: START_MS - 6_000 })).toBe("stale");
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("its first quote is the one after a restart, if it had none before", async () => {
    const world = await createWorld();
    const order = await world.place(MAKER);
    await world.crash();
    expect(await world.quote("99", "100")).toBe("unconfirmed");
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("REJECTED REJECTED");
  });

  it("its posting is durable: after a restart the market may reach it with the first quote", async () => {
    const world = await createWorld();
    const order = await world.place(MAKER);
    await world.quote("100", "101");
    await world.crash();
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("I20: its posting has no effect before it is durable", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place(MAKER);
    store().inject("fail", 1);
    await world.quote("100", "101");
    // It is decided again when the shard has been read.
    expect(await world.facts(order)).toEqual(["ACCEPTED", "POSTED"]);
  });

  it("it can be canceled, and expires, before its first quote", async () => {
    const world = await createWorld();
    const order = await world.place(MAKER);
    const other = await world.place({ ...MAKER, expireTime: START_MS + 1_000 });
    expect((await world.cancel(order)).ended?.status).toBe("CANCELED");
    await world.pass(1_000);
    expect(await world.status(other)).toBe("EXPIRED EXPIRED");
  });
});

describe("decision 21: once it has posted", () => {
  it("it is a normal limit: below the minimum it waits, and a partial fill leaves the rest", async () => {
    const world = await createWorld();
    await world.quote("100", "101");
    const order = await world.place(MAKER);
    await world.quote("99", "100", { ask: "0.1" });
    expect(sentTo(world.venue)).toEqual([]);
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.4" })]);
    await world.quote("99", "100");
    world.venue.onSubmit = (child) => filled(child);
    await world.quote("98", "99");
    expect([sentTo(world.venue), await world.status(order)]).toEqual([
      ["BUY 1 @ 100", "BUY 0.6 @ 100"],
      "FILLED FILLED",
    ]);
  });

  it("reduce-only: it never exceeds its exposure", async () => {
    const world = await createWorld();
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: fillOf({ quantity: "0.3" }).quantity });
    await world.place({ ...MAKER, side: "SELL", reduceOnly: true });
    await world.quote("99", "100");
    await world.quote("100", "101");
    expect(sentTo(world.venue)).toEqual(["SELL 0.3 @ 100"]);
  });
});

describe("decisions 21, 35: post-only legs", () => {
  const HELD = { ...OTO, pendingType: "LIMIT_MAKER", pendingPrice: "110" } as const;
  const { pendingStopPrice: _stop, ...EXIT } = HELD;

  it("a held one is admitted in any market, and meets the quote that stands at its release", async () => {
    const world = await createWorld();
    await world.quote("110", "111");
    const list = await world.placeList("oto", { ...EXIT, pendingPrice: "95" });
    await world.quote("99", "100");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "REJECTED REJECTED"]);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
  });

  it("a held one posts on a quote that does not cross", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", EXIT);
    await world.quote("99", "100");
    await world.quote("109", "110");
    await world.quote("110", "111");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "FILLED FILLED"]);
    expect(await world.facts(legOf(list, "pending"))).toEqual([
      "ACCEPTED",
      "RELEASED",
      "POSTED",
      "CHILD_INTENDED",
      "FILLED",
      "CHILD_CLOSED",
      "ENDED",
    ]);
  });

  it("one of a pair that crosses ends alone; its sibling continues and may win", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", { ...OCO, aboveType: "LIMIT_MAKER" });
    await world.quote("110", "111");
    expect(await world.legs(list)).toEqual(["NEW WAITING", "REJECTED REJECTED"]);
    await world.quote("90", "91");
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "REJECTED REJECTED"]);
  });

  it("I42: a working one that crosses cancels the legs that it holds", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", { ...OTO, workingType: "LIMIT_MAKER" });
    await world.quote("99", "100");
    expect(await world.legs(list)).toEqual(["REJECTED REJECTED", "CANCELED CANCELED"]);
    expect(world.alerts).toEqual([]);
  });

  it("an active one that crosses at admission refuses the whole list", async () => {
    const world = await createWorld();
    await world.quote("110", "111");
    await expect(world.placeList("oco", { ...OCO, aboveType: "LIMIT_MAKER" })).rejects.toMatchObject(
      WOULD_MATCH,
    );
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it("decision 34: it wins with a child, not by posting", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", { ...OCO, aboveType: "LIMIT_MAKER" });
    await world.quote("100", "101");
    await turns();
    expect(await world.legs(list)).toEqual(["NEW WAITING", "NEW WAITING"]);
    await world.quote("110", "111");
    expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "FILLED FILLED"]);
  });
});
