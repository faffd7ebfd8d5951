import { describe, expect, it } from "vitest";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { OCO, OTO } from "../support/list-samples.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

const MAKER = { type: "LIMIT_MAKER", price: "100" } as const;
const WOULD_MATCH = { code: -2010, msg: "Order would immediately match and take." };

describe("a post-only order at admission", () => {
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
});

describe("without a counted quote", () => {
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
});

describe("post-only legs", () => {
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

  it("it wins with a child, not by posting", async () => {
    const world = await createWorld();
    const list = await world.placeList("oco", { ...OCO, aboveType: "LIMIT_MAKER" });
    await world.quote("100", "101");
    await turns();
    expect(await world.legs(list)).toEqual(["NEW WAITING", "NEW WAITING"]);
    await world.quote("110", "111");
    expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "FILLED FILLED"]);
  });
});
