import { expect, it } from "vitest";
import { createFaultyWorld, type FaultyWorld, turns } from "../support/faulty-world.ts";
import { createScriptedVenue, filled, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

/** A world whose store keeps failing, but not for ever: a busy loop would never let a test fail. */
async function createFailingWorld(): Promise<FaultyWorld> {
  let failed = 0;
  const faulty: FaultyWorld = await createFaultyWorld({
    report: (name) => {
      if (name === "append.failed" && ++failed > 200) faulty.store().inject("none");
    },
  });
  return faulty;
}

const failures = (world: World): number => world.reported.filter((name) => name === "append.failed").length;

/** Completes all work on a clock, and gives up if it does not end. */
function boundedSettle(most: number): () => Promise<void> {
  let steps = 0;
  return async () => {
    if (++steps > most) throw new Error("time does not get on");
    await turns(500);
  };
}

it("an expiry that a failing store does not write is retried at intervals, and happens when the store works again", async () => {
  const { world, store } = await createFailingWorld();
  const order = await world.place({ price: "100", expireTime: world.clock.nowMs() + 60_000 });
  store().inject("fail");
  await world.clock.advanceBy(60_950, boundedSettle(100));
  // At once, once more at once, then every retryMinMs (100).
  expect(failures(world)).toBe(11);
  expect(world.engine.status().reasons.map(({ kind }) => kind)).toContain("STORE_FAILING");
  store().inject("none");
  await world.pass(100);
  expect(await world.status(order)).toBe("EXPIRED EXPIRED");
  expect((await world.engine.verify()).equal).toBe(true);
});

it("neither the venue nor the store is polled in a loop for a child whose outcome cannot be written", async () => {
  const { world, store } = await createFailingWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = (child) => {
    store().inject("fail");
    return filled(child);
  };
  const answer = new Map<string, ReturnType<typeof filled>>();
  world.venue.onLookup = (child) => {
    const report = answer.get(child.childId) ?? filled(child);
    answer.set(child.childId, report);
    return report;
  };
  world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
  await world.clock.advanceBy(950, boundedSettle(100));
  expect(world.venue.lookups.length).toBeLessThan(15);
  expect(failures(world)).toBeLessThan(15);
  store().inject("none");
  await world.pass(1_000);
  expect(await world.status(order)).toBe("FILLED FILLED");
  expect(sentTo(world.venue)).toHaveLength(1);
});

it("a single failed append delays nothing", async () => {
  const { world, store } = await createFaultyWorld();
  const order = await world.place({ price: "100", expireTime: world.clock.nowMs() + 1_000 });
  store().inject("fail", 1);
  await world.clock.advanceBy(1_000, boundedSettle(100));
  await turns(500);
  expect(await world.status(order)).toBe("EXPIRED EXPIRED");
});

it("a caller's request waits for no pause", async () => {
  const { world, store } = await createFailingWorld();
  store().inject("fail");
  for (let n = 0; n < 5; n++)
    await expect(world.place({ price: "100" })).rejects.toMatchObject({ code: -1001 });
  store().inject("none");
  const order = await world.place({ price: "100" });
  store().inject("fail");
  for (let n = 0; n < 5; n++) await expect(world.cancel(order)).rejects.toMatchObject({ code: -1001 });
  store().inject("none");
  await world.cancel(order);
  expect(await world.status(order)).toBe("CANCELED CANCELED");
});

it("nothing is looked up while a shard cannot be read, and everything once it can", async () => {
  const faulty: FaultyWorld = await createFaultyWorld({
    report: (name) => {
      if (name === "append.failed") faulty.store().inject("fail-reads");
    },
  });
  const { world, store } = faulty;
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = (child) => reported(child.childId, "open");
  world.venue.onLookup = (child) => reported(child.childId, "open");
  await world.quote("99", "100");
  store().inject("fail", 1);
  await expect(world.place({ price: "100" })).rejects.toThrow();
  const before = world.venue.lookups.length;
  await world.clock.advanceBy(600_000, () => turns(60));
  expect(world.reported).toContain("reload.failed");
  expect(world.venue.lookups.length - before).toBe(0);
  world.venue.onLookup = (child) => filled(child);
  store().inject("none");
  await world.pass(10_000);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

it("a venue that fails to end its subscription does not keep the engine sending while it closes", async () => {
  const venue = createScriptedVenue();
  const throws = (): void => {
    throw new Error("no subscription");
  };
  const world = await createWorld({ executes: () => ({ ...venue, subscribe: () => throws }), venue });
  await world.place({ price: "100" });
  world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
  await world.engine.close();
  expect(sentTo(venue)).toEqual([]);
});
