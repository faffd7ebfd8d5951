import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import type { ParentOrder, VolumeBar } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

const MINUTE = 60_000;
const STEP = 10_000;
/** No heartbeat: after the time of a step nothing stands, and the next quote is the first observation of its slot. */
const QUIET = { heartbeat: false } as const;
const VWAP = { type: "VWAP", quantity: "1", interval: STEP, volumeProfile: "1,0,3" } as const;

async function trading(
  fields: Partial<OrderFields> = VWAP,
  world?: World,
): Promise<Readonly<{ world: World; order: ParentOrder }>> {
  const own = world ?? (await createWorld());
  // It has a price for the admission, and nothing on offer that could serve the first slot.
  await own.quote("99", "100", { bid: "0", ask: "0" });
  return { world: own, order: await own.place(fields) };
}

/** Sends several quotes in every slot, for a number of slots. */
async function slots(world: World, count: number): Promise<void> {
  for (let slot = 0; slot < count; slot++) {
    for (let n = 0; n < 3; n++) await world.quote("99", "100");
    await world.pass(STEP, QUIET);
  }
}

/** Volumes by minute; the last one is the newest complete minute. */
const history = (...volumes: readonly (string | undefined)[]): WorldOptions["volumeHistory"] => ({
  minutes: ({ fromMs, toMs, symbol }): readonly VolumeBar[] =>
    volumes.flatMap((volume, index) => {
      const minuteMs = toMs - (volumes.length - index) * MINUTE;
      return volume === undefined || minuteMs < fromMs
        ? []
        : [{ symbol, minuteMs, quantity: quantity(volume) }];
    }),
});

/** The frozen weights, as cumulative sums. */
const cumulativeOf = ({ plan }: ParentOrder): string | undefined => plan?.cumulative?.join();

describe("decision 29: a VWAP with its own weights", () => {
  it("slices by weight; a zero weight places nothing and leaves nothing to catch up", async () => {
    const { world, order } = await trading();
    await slots(world, 3);
    expect(sentTo(world.venue)).toEqual(["BUY 0.25", "BUY 0.75"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("contract: after the last slot the rest continues, one attempt per interval of at most the largest slice", async () => {
    const { world, order } = await trading({ ...VWAP, quantity: "2", volumeProfile: "1,2,1" });
    await world.pass(3 * STEP, { heartbeat: false });
    await slots(world, 1);
    expect(sentTo(world.venue)).toEqual(["BUY 1"]);
    await slots(world, 1);
    expect([sentTo(world.venue), await world.status(order)]).toEqual([["BUY 1", "BUY 1"], "FILLED FILLED"]);
  });
});

describe("decision 29: a VWAP with weights from the service's volumes", () => {
  const OWN = { type: "VWAP", quantity: "1", interval: MINUTE, intervalCount: 3 } as const;

  it.each([
    ["in the middle and at the start, the next", ["1", "10", "1", "10"], "0,11000000,11000000,22000000"],
    ["of the last, the slot before", ["10", "1", "10", "1"], "10000000,10000000,22000000,22000000"],
    ["of several in a row, together", ["1", "1", undefined, "20"], "0,0,0,22000000"],
  ])("a slice below the minimum joins another slot in the plan: %s", async (_what, volumes, cumulative) => {
    const world = await createWorld({ volumeHistory: history(...volumes) });
    const { order } = await trading({ ...OWN, intervalCount: 4 }, world);
    expect(cumulativeOf(order)).toBe(cumulative);
    for (let slot = 0; slot < 4; slot++) {
      await world.quote("99", "100");
      await world.pass(MINUTE);
    }
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it.each([
    ["no volume at all", [], OWN],
    ["none in the requested intervals", ["1", undefined, undefined, undefined], OWN],
    ["volume of one minute only, without a count", ["1"], { ...OWN, intervalCount: undefined as never }],
  ] as const)("-2016 when there is %s", async (_what, volumes, fields) => {
    const world = await createWorld({ volumeHistory: history(...volumes) });
    await expect(trading(fields, world)).rejects.toMatchObject({ code: -2016 });
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it("by default from the bars of the prints that the engine received; the current minute is not complete", async () => {
    const world = await createWorld();
    await world.clock.advanceTo(Math.ceil(START_MS / MINUTE) * MINUTE);
    for (const volume of ["2", "3", "4"]) {
      await world.print(volume);
      await world.print("1");
      await world.pass(MINUTE);
    }
    await world.print("9");
    await world.pass(MINUTE - 1);
    const { order } = await trading(OWN, world);
    expect(cumulativeOf(order)).toBe("3000000,7000000,12000000");
    await world.pass(1);
    expect(cumulativeOf(await world.place(OWN))).toBe("4000000,9000000,18000000");
  });

  it("I34: they are frozen at admission, over later prints and restarts", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1 } });
    await world.clock.advanceTo(Math.ceil(START_MS / MINUTE) * MINUTE);
    const nowMs = world.clock.nowMs();
    for (const back of [3, 2, 1]) await world.print("1", { timeMs: nowMs - back * MINUTE });
    const { order } = await trading(OWN, world);
    for (const back of [3, 2, 1]) await world.print("5", { timeMs: nowMs - back * MINUTE });
    await world.crash();
    expect((await world.order(order)).plan).toEqual(order.plan);
    await world.quote("99", "100");
    expect(cumulativeOf(await world.place(OWN))).toBe("6000000,12000000,18000000");
  });

  it("a history that does not answer is a failure of the service, never a refusal", async () => {
    const failing = { minutes: () => Promise.reject(new Error("gone")) };
    const world = await createWorld({ volumeHistory: failing });
    await expect(trading(OWN, world)).rejects.toMatchObject({ code: -1001 });
    const throwing = {
      minutes: () => {
        throw new Error("gone");
      },
    };
    await expect(trading(OWN, await createWorld({ volumeHistory: throwing }))).rejects.toMatchObject({
      code: -1001,
    });
  });

  it("one with its own weights asks no port", async () => {
    const failing = { minutes: () => Promise.reject(new Error("gone")) };
    const { order } = await trading(VWAP, await createWorld({ volumeHistory: failing }));
    expect([cumulativeOf(order), order.intent.symbol]).toEqual(["1,1,4", SYMBOL]);
  });
});
