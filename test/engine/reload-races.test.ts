import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice, price } from "../../src/decimal/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createGate } from "../support/gate.ts";
import { createScriptedVenue, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World, type WorldOptions } from "../support/world.ts";

/**
 * A world in which an append of account 1's shard fails and the shard reads the store again for as long as the test
 * wants.
 */
type Reloading = Readonly<{
  world: World;
  /** Starts: the append of a placement, or of the given action, fails; the store does not answer, or cannot read. */
  begin(reads?: "wait" | "fail", doing?: () => unknown): Promise<void>;
  /** The store answers; after a failure, this takes the time until it is asked again. */
  end(): Promise<void>;
}>;

async function reloadingWorld(options: WorldOptions = {}): Promise<Reloading> {
  let fails = false;
  const answers = createGate();
  let refuses = false;
  const gated = (store: OrderStore): OrderStore => ({
    ...store,
    async head(shard) {
      if (refuses) throw new Error("the store cannot read");
      await answers.pass();
      return await store.head(shard);
    },
    async append(batch) {
      if (fails) throw new Error("the store is away");
      return await store.append(batch);
    },
  });
  const world = await createWorld({ ...options, store: (disk) => gated(createMemoryStore({ disk })) });
  return {
    world,
    async begin(reads = "wait", doing) {
      fails = true;
      if (reads === "fail") refuses = true;
      else answers.shut();
      if (doing !== undefined) doing();
      else void world.place({ price: "1", quantity: "20" }).catch(() => undefined);
      await turns();
      fails = false;
    },
    async end() {
      answers.open();
      if (refuses) {
        refuses = false;
        await world.pass(world.engine.settings.retryMaxMs);
      }
      await world.engine.idle();
    },
  };
}

const TRAIL = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5", stopPrice: "100" } as const;

const see = (world: World, bid: string, ask: string): unknown =>
  world.engine.market.quote({ symbol: "BTC/USD", bid, ask });

describe("while a shard reads itself from the store again", () => {
  describe.each(["wait", "fail"] as const)("reads that %s", (reads) => {
    const referenceOf = async (world: World, order: Parameters<World["order"]>[0]) =>
      (await world.order(order)).trigger?.reference?.toString();

    it("I31: a trail whose activation was lost is activated by the same quote, and then triggered by what it met since", async () => {
      const { world, begin, end } = await reloadingWorld();
      const order = await world.place(TRAIL);
      await begin(reads, () => see(world, "110", "120"));
      see(world, "104", "120");
      await end();
      expect(await world.status(order)).toBe("FILLED FILLED");
      expect((await world.facts(order)).slice(0, 3)).toEqual(["ACCEPTED", "ACTIVATED", "TRIGGERED"]);
      expect(await referenceOf(world, order)).toBe(price("110").toString());
      expect((await world.engine.verify()).equal).toBe(true);
    });

    it("I31: it keeps its reference through a crash, though the price never comes back to its gate", async () => {
      const { world, begin, end } = await reloadingWorld();
      const order = await world.place({ ...TRAIL, stopPrice: "109" });
      await begin(reads, () => see(world, "110", "120"));
      see(world, "106", "120");
      await end();
      expect(await world.status(order)).toBe("NEW WAITING");
      expect(await world.facts(order)).toEqual(["ACCEPTED", "ACTIVATED"]);
      await world.crash();
      await world.quote("106", "120");
      await world.quote("105", "120");
      expect(await world.status(order)).toBe("FILLED FILLED");
      expect(await referenceOf(world, order)).toBe(price("110").toString());
      expect((await world.engine.verify()).equal).toBe(true);
    });
  });

  it("I31: an active trail keeps its reference, which is not set again", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place(TRAIL);
    await begin();
    see(world, "110", "120");
    await end();
    await world.quote("106", "120");
    await world.quote("105", "120");
    expect(await world.status(order)).toBe("FILLED FILLED");
    const { trigger } = await world.order(order);
    expect(trigger?.reference && formatPrice(trigger.reference)).toBe("110");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I31: an active trail misses no quote, whenever it arrives", async () => {
    for (let peakAt = 1; peakAt <= 25; peakAt++) {
      const { world, begin, end } = await reloadingWorld();
      const order = await world.place(TRAIL);
      await begin();
      see(world, "110", "200");
      const ending = end();
      for (let turn = 1; turn <= 25; turn++) {
        await Promise.resolve();
        see(world, turn === peakAt ? "114" : "111", "200");
      }
      await ending;
      await world.quote("109", "200");
      const { trigger } = await world.order(order);
      expect(trigger?.reference && formatPrice(trigger.reference), `turn ${peakAt}`).toBe("114");
    }
  });

  it("I31: the mark of an activation that waits for the reload stays, whatever other shards need", async () => {
    const { world, begin, end } = await reloadingWorld({ settings: { snapshotEvery: 1 } });
    const order = await world.place(TRAIL);
    await begin("fail");
    await world.quote("110", "120");
    await world.place(TRAIL, 2);
    await world.quote("106", "120");
    await world.place({ price: "50" }, 2);
    await world.engine.idle();
    await end();
    await world.crash();
    await world.quote("105", "120");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("the other shards continue while the store cannot read one", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place({ price: "100" });
    await begin("fail");
    const other = await world.place({ price: "100" }, 2);
    await world.quote("99", "100");
    expect(await world.status(other)).toBe("FILLED FILLED");
    expect(await world.status(order)).toBe("NEW WAITING");
    await end();
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("complaint 29: a stop-limit that triggers waits inside its cap afterwards", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
    await begin();
    see(world, "101", "102");
    await end();
    expect((await world.order(order)).trigger).toBeDefined();
    await world.quote("98", "99");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 101"]);
  });

  it.each(["wait", "fail"] as const)(
    "complaint 29: and so does one whose trigger was in the append that failed, though the price returns (reads %s)",
    async (reads) => {
      const { world, begin, end } = await reloadingWorld();
      const order = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
      const later = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "103", price: "104" });
      await begin(reads, () => see(world, "101", "102"));
      see(world, "98", "99");
      await end();
      expect([await world.facts(order), await world.facts(later)]).toEqual([
        ["ACCEPTED", "TRIGGERED", "CHILD_INTENDED", "FILLED", "CHILD_CLOSED", "ENDED"],
        ["ACCEPTED"],
      ]);
      expect((await world.order(order)).trigger).toMatchObject({ observed: price("102") });
      expect(sentTo(world.venue)).toEqual(["BUY 1 @ 101"]);
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );

  it("I25: an order that fires meets the market after the reload", async () => {
    const { world, begin, end } = await reloadingWorld();
    await world.place({ price: "100" });
    await begin();
    see(world, "99", "100");
    see(world, "104", "105");
    await end();
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
  });

  it("I25: and sends nothing if there is no fresh quote", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place({ type: "STOP_MARKET", stopPrice: "100" });
    await begin();
    see(world, "99", "100");
    await world.clock.advanceBy(10_000, () => turns());
    await end();
    expect((await world.order(order)).trigger).toBeDefined();
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("cancels wait and are answered, placements are refused with -1001, reads continue", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place({ price: "100" });
    await begin();
    const canceling = world.cancel(order);
    await expect(world.place({ price: "90" })).rejects.toMatchObject({ code: -1001 });
    expect(await world.status(order)).toBe("NEW WAITING");
    await end();
    expect((await canceling).ended?.status).toBe("CANCELED");
  });

  it("I15: reports of the venue are applied afterwards, once", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = () => new Error("not asked");
    await world.quote("99", "100");
    const fill = fillOf({ quantity: "0.25" });
    const childId = world.venue.submitted[0]?.childId ?? "";
    await begin();
    world.venue.say(reported(childId, "open", [fill]));
    world.venue.say(reported(childId, "closed", [fill]));
    await end();
    expect(await world.executed(order)).toBe("0.25");
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
    expect(world.alerts).toEqual([]);
  });

  it("an intent that waits for the reload is not taken for one with an unknown outcome", async () => {
    const { world, begin, end } = await reloadingWorld();
    const order = await world.place({ price: "100" });
    await begin();
    see(world, "99", "100");
    await end();
    expect(await world.facts(order)).toEqual([
      "ACCEPTED",
      "CHILD_INTENDED",
      "FILLED",
      "CHILD_CLOSED",
      "ENDED",
    ]);
  });

  it("the shard sends nothing: a child that waits for the venue's rate is withdrawn", async () => {
    const { world, begin, end } = await reloadingWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    await world.place({ price: "100" });
    const second = await world.place({ price: "100", quantity: "2" });
    await world.quote("99", "100");
    await begin();
    await world.clock.advanceBy(1_000, () => turns());
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    await end();
    expect(await world.status(second)).toBe("NEW WAITING");
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(await world.status(second)).toBe("FILLED FILLED");
  });
});
