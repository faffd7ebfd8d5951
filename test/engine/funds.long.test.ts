import { describe, expect, it } from "vitest";
import { quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { Core } from "../../src/engine/core/core.ts";
import { FundsQueue } from "../../src/engine/eligibility/funds-queue.ts";
import type { Shards } from "../../src/engine/shards/shards.ts";
import type { Timers } from "../../src/engine/time/timers.ts";
import type { ChildRequest, Instrument, ParentOrder } from "../../src/model/index.ts";
import { filled, reported, type ScriptedVenue } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const SHORT = subtract(ZERO_QUANTITY, quantity("5"));

const refusedFor = (child: ChildRequest) =>
  ({ ...reported(child.childId, "rejected"), mark: "INSUFFICIENT_FUNDS" }) as const;

/** A world whose venue refuses accounts that are short of funds; `poor` lists them. */
async function poorWorld(poor: (child: ChildRequest) => boolean): Promise<World> {
  const world = await createWorld();
  world.venue.onSubmit = (child) => (poor(child) ? refusedFor(child) : filled(child));
  await world.quote("99", "100");
  return world;
}

/** Advances time in steps of 100 ms with a quote each; returns the children that were sent, by step. */
async function sentBySteps(world: World, steps: number): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let step = 0; step < steps; step++) {
    const before = world.venue.submitted.length;
    await world.pass(100, { heartbeat: false });
    await world.quote("99", "100");
    counts.push(world.venue.submitted.length - before);
  }
  return counts;
}

const last = (venue: ScriptedVenue): ChildRequest | undefined => venue.submitted.at(-1);
const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
const buying = ({ side }: ChildRequest): boolean => side === "BUY";

describe("an account without funds has its own retry pace", () => {
  it("TWAPs without money: each is refused once, then one child per round, at most every 5 s", async () => {
    const world = await poorWorld(buying);
    const twap = { type: "TWAP", quantity: "100", interval: 1_000, intervalCount: 100 } as const;
    for (let n = 0; n < 300; n++) await world.place(twap);
    await world.engine.idle();
    expect(world.venue.submitted).toHaveLength(300);
    expect(sum(await sentBySteps(world, 10))).toBeLessThanOrEqual(5);
    const later = await sentBySteps(world, 290);
    expect(sum(later)).toBeLessThanOrEqual(10);
    expect(sum(later)).toBeGreaterThanOrEqual(5);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("a slot whose child does not go out for lack of funds is missed, and the schedule ends as usual", async () => {
    let isPoor = true;
    const world = await poorWorld(() => isPoor);
    const twap = { type: "TWAP", quantity: "10", interval: 1_000, intervalCount: 10 } as const;
    const [one, two] = [await world.place(twap), await world.place(twap)];
    await sentBySteps(world, 45);
    isPoor = false;
    await sentBySteps(world, 70);
    for (const order of [one, two]) {
      expect((await world.order(order)).ended).toMatchObject({ status: "EXPIRED", reason: "SCHEDULE_ENDED" });
      const executed = Number(await world.executed(order));
      expect([executed > 0, executed < 7]).toEqual([true, true]);
    }
  });

  it("reduce-only children and the other side go out as usual", async () => {
    const world = await poorWorld((child) => buying(child) && !child.reduceOnly);
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: SHORT });
    for (let n = 0; n < 3; n++) await world.place({ price: "100" });
    await sentBySteps(world, 40);
    const sell = await world.place({ side: "SELL", price: "90" });
    const exit = await world.place({ price: "100", reduceOnly: true });
    await world.quote("99", "100");
    expect([await world.status(sell), await world.status(exit)]).toEqual(["FILLED FILLED", "FILLED FILLED"]);
  });

  it("a reduce-only child that is refused for funds keeps the pace of retries", async () => {
    const world = await poorWorld(buying);
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: SHORT });
    for (let n = 0; n < 2; n++) await world.place({ price: "100", reduceOnly: true });
    await world.engine.idle();
    expect(world.venue.submitted).toHaveLength(2);
    // Each goes out when its pause is over, if a later quote has come.
    expect(await sentBySteps(world, 8)).toEqual([2, 0, 2, 0, 0, 0, 2, 0]);
  });

  it("a refusal without the mark delays no other parent", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    for (let n = 0; n < 5; n++) await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(sum(await sentBySteps(world, 3))).toBe(10);
  });

  it("markets share the shortage of an asset, accounts do not", async () => {
    const world = await poorWorld((child) => child.accountId === 1);
    const btc = [];
    for (let n = 0; n < 4; n++) btc.push(await world.place({ price: "100" }));
    const eth = await world.place({ price: "100", symbol: "ETH/USD" });
    world.engine.market.quote({ symbol: "ETH/USD", bid: "99", ask: "100" });
    await sentBySteps(world, 30);
    expect((await world.order(eth)).attempts).toBe(1);
    const stories = await Promise.all([...btc, eth].map(({ orderId }) => world.engine.story(orderId)));
    const short = stories.filter((story) => story?.waitingFor?.includes("for lack of funds"));
    expect(short.length).toBeGreaterThanOrEqual(4);
    const other = await world.place({ price: "100" }, 2);
    await world.quote("99", "100");
    expect(await world.status(other)).toBe("FILLED FILLED");
  });

  it("turns rotate: an order that is too large does not block the others", async () => {
    let funds = 0;
    const world = await poorWorld((child) => Number(child.quantity) > funds);
    const large = await world.place({ price: "100", quantity: "1000" });
    const small = await world.place({ price: "100", quantity: "1" });
    await sentBySteps(world, 20);
    funds = 1_000_000;
    await sentBySteps(world, 110);
    expect([await world.status(small), await world.status(large)]).toEqual(["FILLED FILLED", "NEW WAITING"]);
  });

  it.each<readonly [string, (world: World) => Promise<unknown> | undefined]>([
    [
      "a fill on the other side",
      async (world) => {
        await world.place({ side: "SELL", price: "90" });
        await world.quote("99", "100");
      },
    ],
    ["a balance that changed", async (world) => world.engine.fundsChanged(1)],
  ])("%s ends the pause: rounds are short again, and double in width with each fill", async (_, sign) => {
    let isPoor = true;
    const world = await poorWorld((child) => buying(child) && isPoor);
    for (let n = 0; n < 40; n++) await world.place({ price: "100" });
    await sentBySteps(world, 200);
    isPoor = false;
    await sign(world);
    const before = last(world.venue);
    expect(before).toBeDefined();
    expect(sum(await sentBySteps(world, 8))).toBeGreaterThanOrEqual(39);
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it("time alone ends it too: at most 5 s pass between two attempts", async () => {
    let isPoor = true;
    const world = await poorWorld(() => isPoor);
    for (let n = 0; n < 8; n++) await world.place({ price: "100" });
    await sentBySteps(world, 200);
    isPoor = false;
    await sentBySteps(world, 60);
    expect(world.engine.metrics().openParents).toBe(0);
  });

  it("after a restart each parent is tried once, and the queue is rebuilt", async () => {
    const world = await poorWorld(buying);
    for (let n = 0; n < 20; n++) await world.place({ price: "100" });
    await sentBySteps(world, 100);
    await world.crash();
    const counts = await sentBySteps(world, 60);
    expect(sum(counts)).toBeGreaterThanOrEqual(20);
    expect(sum(counts)).toBeLessThanOrEqual(28);
  });

  it("parents that have ended leave nothing behind", async () => {
    const world = await poorWorld(buying);
    for (let n = 0; n < 20; n++) await world.place({ price: "100" });
    await sentBySteps(world, 5);
    await world.engine.cancelAll(1);
    const sent = world.venue.submitted.length;
    await sentBySteps(world, 60);
    expect(world.venue.submitted.length).toBe(sent);
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(world.venue.submitted.length).toBe(sent + 1);
  });
});

it("a parent waits for one asset only, also if the host names another one at its next refusal", () => {
  const rounds: (() => void)[] = [];
  const timer = (_atMs: number, run: () => void): (() => void) => {
    rounds.push(run);
    return () => undefined;
  };
  let instrument: Partial<Instrument> | undefined = { baseAsset: "BTC", quoteAsset: "USD" };
  const queue = new FundsQueue(
    { settings: { retryMinMs: 100, retryMaxMs: 5_000 }, nowMs: () => 0 } as unknown as Core,
    { whileQuoted: timer } as unknown as Timers,
    { find: () => instrument as Instrument | undefined },
    { live: () => undefined } as unknown as Shards,
  );
  const order = { orderId: 1, accountId: 1, intent: { symbol: "BTC/USD", side: "BUY" } };
  queue.refused(order as ParentOrder);
  instrument = undefined;
  queue.refused(order as ParentOrder);
  queue.evict(order.orderId);
  // Each round sets the timer of the next one for as long as a parent waits.
  for (const round of rounds.splice(0)) round();
  expect(rounds).toEqual([]);
});

describe("the mark of a refusal is checked like every report of a venue", () => {
  it.each(["insufficient_funds", "", 1, null, ["INSUFFICIENT_FUNDS"]])(
    "a mark %j cannot be read: the child is unknown",
    async (mark) => {
      const world = await createWorld();
      world.venue.onSubmit = ({ childId }) => ({ ...reported(childId, "rejected"), mark }) as never;
      const order = await world.place({ price: "100" });
      await world.quote("99", "100");
      expect((await world.order(order)).child).toMatchObject({ state: "UNKNOWN" });
    },
  );
});
