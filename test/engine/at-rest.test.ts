import { describe, expect, it } from "vitest";
import { type Quantity, quantity } from "../../src/decimal/index.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

type Turning = Readonly<{ world: World; turnsOf: (run: () => Promise<unknown>) => Promise<number> }>;

/** A world that counts the turns of its engine. */
async function turning(options: WorldOptions = {}): Promise<Turning> {
  let turns = 0;
  const world = await createWorld({
    ...options,
    clock: (clock) => ({
      ...clock,
      soon(run) {
        turns++;
        clock.soon(run);
      },
    }),
  });
  await world.engine.idle();
  return {
    world,
    async turnsOf(run) {
      const before = turns;
      await run();
      return turns - before;
    },
  };
}

const quoted = ({ engine }: World, bid: string): void =>
  void engine.market.quote({ symbol: SYMBOL, bid, ask: "101" });

describe("decision IK: an engine at rest reports it at once", () => {
  it("after quotes that trigger nothing; the clock then advances without a turn", async () => {
    const { world, turnsOf } = await turning();
    await world.quote("100", "101");
    await world.place({ side: "SELL", type: "STOP_MARKET", stopPrice: "90" });
    await world.engine.idle();
    const turns = await turnsOf(async () => {
      for (let n = 0; n < 100; n++) {
        quoted(world, String(100 - (n % 5)));
        await world.clock.advanceBy(10, () => world.engine.idle());
      }
    });
    expect(turns).toBe(0);
    quoted(world, "90");
    expect(await turnsOf(() => world.engine.idle())).toBeGreaterThan(0);
    expect(world.venue.submitted.length).toBe(1);
  });

  it("not before the venue has answered: its answer is still processed", async () => {
    const { world, turnsOf } = await turning();
    await world.quote("100", "101");
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    const order = await world.place({ type: "SYNTHETIC_LIMIT", price: "101" });
    await world.quote("100", "101");
    const [child] = world.venue.submitted;
    await world.engine.idle();
    void laterBy(20).then(() =>
      world.venue.say(reported(child?.childId ?? "", "closed", [fillOf({ quantity: "1" })])),
    );
    expect(await turnsOf(() => world.engine.idle())).toBeGreaterThan(20);
    expect(await world.status(order)).toContain("FILLED");
  });

  it.each([["a caller waits", (world: World): void => void world.place({ price: "20" })]])(
    "not when %s",
    async (_what, begin) => {
      const { world, turnsOf } = await turning();
      await world.quote("100", "101");
      await world.engine.idle();
      begin(world);
      expect(await turnsOf(() => world.engine.idle())).toBeGreaterThan(0);
    },
  );

  it("not while a listener of quotes may still act, some promises later", async () => {
    const { world, turnsOf } = await turning();
    await world.quote("100", "101");
    world.engine.events.on("quote", () => void laterBy(10).then(() => world.place({ price: "20" })));
    await world.engine.idle();
    quoted(world, "99");
    expect(await turnsOf(() => world.engine.idle())).toBeGreaterThan(10);
    expect(world.engine.metrics().openParents).toBe(1);
  });

  it("not while a position is requested", async () => {
    let position: Quantity | Promise<Quantity> = quantity("1");
    const { world, turnsOf } = await turning({ exposure: { position: () => position } });
    await world.quote("100", "101");
    await world.place({ side: "SELL", type: "STOP_MARKET", stopPrice: "90", reduceOnly: true });
    position = new Promise(() => undefined);
    await world.quote("90", "91");
    expect(await turnsOf(() => world.engine.idle())).toBeGreaterThan(0);
    expect(world.venue.submitted.length).toBe(0);
  });
});

/** Waits for a number of promise steps. */
async function laterBy(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) await undefined;
}
