import { afterEach, describe, expect, it, vi } from "vitest";
import { type Quantity, quantity } from "../../src/decimal/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { ChildReport, SubmitOptions } from "../../src/ports/index.ts";
import {
  createScriptedVenue,
  filled,
  fillOf,
  reported,
  type ScriptedVenue,
} from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

type Submit = (child: ChildRequest, options: SubmitOptions) => Promise<ChildReport>;

/** A world in which one stop has fired; `submit` is the venue's. */
async function fired(submit: Submit): Promise<Readonly<{ world: World; venue: ScriptedVenue }>> {
  const venue = { ...createScriptedVenue(), submit };
  const world = await createWorld({ venue });
  await world.place({ type: "STOP_MARKET", stopPrice: "100" });
  await world.quote("99", "100");
  return { world, venue };
}

/** A request that ends only when its signal aborts, as that of `fetch` does. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

const unknownReported = ({ reported }: World): number =>
  reported.filter((name) => name === "child.unknown").length;

describe("the signal of a submit", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("aborts at the deadline; the outcome is unknown and the child is looked up, not sent again", async () => {
    const calls: SubmitOptions[] = [];
    const { world, venue } = await fired((_, options) => {
      calls.push(options);
      return untilAborted(options.signal);
    });
    expect(calls.map(({ deadlineMs, signal }) => [deadlineMs - START_MS, signal.aborted])).toEqual([
      [2_000, false],
    ]);
    await world.pass(2_000);
    expect(calls[0]?.signal.reason).toMatchObject({
      name: "TimeoutError",
      message: "no answer by the deadline",
    });
    expect(await world.status(world.updates[0]?.order.orderId ?? 0)).toBe("NEW UNKNOWN");
    expect([calls.length, venue.lookups.length]).toEqual([1, 1]);
    expect(unknownReported(world)).toBe(1);
  });

  it("does not abort after the answer, neither at the deadline nor when the engine closes", async () => {
    const signals: AbortSignal[] = [];
    const { world } = await fired(async (child, { signal }) => {
      signals.push(signal);
      return filled(child);
    });
    await world.pass(2_000);
    await world.engine.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("aborts when the engine closes, after what was decided is durable", async () => {
    const signals: AbortSignal[] = [];
    const { world } = await fired((_, { signal }) => {
      signals.push(signal);
      return untilAborted(signal);
    });
    expect(await world.engine.close()).toMatchObject({ inFlight: 1, unknown: 0 });
    expect(signals[0]?.reason).toMatchObject({ name: "AbortError", message: "the engine is closed" });
    expect(unknownReported(world)).toBe(0);
  });

  it.each([
    ["at the deadline", (world: World) => world.pass(2_000)],
    ["when the engine closes", (world: World) => world.engine.close()],
  ])("is aborted already if the venue reads it later than that: %s", async (_, end) => {
    const calls: SubmitOptions[] = [];
    const { world } = await fired((_child, options) => {
      calls.push(options);
      return new Promise(() => undefined);
    });
    await end(world);
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  it("takes an answer that comes in spite of it", async () => {
    const { world } = await fired(async (child, { signal }) => {
      await untilAborted(signal).catch(() => undefined);
      return filled(child);
    });
    await world.pass(2_000);
    expect(await world.status(world.updates[0]?.order.orderId ?? 0)).toBe("FILLED FILLED");
  });

  it("is in a copy of the options too", async () => {
    const copies: SubmitOptions[] = [];
    await fired(async (child, options) => {
      copies.push({ ...options, deadlineMs: options.deadlineMs - 50 });
      return filled(child);
    });
    expect(copies[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it("is not created for a venue that does not read it", async () => {
    const created = vi.spyOn(globalThis, "AbortController");
    await fired(async (child) => filled(child));
    await fired(async (child, { deadlineMs: _ }) => filled(child));
    expect(created).not.toHaveBeenCalled();
  });
});

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

describe("an engine at rest reports it at once", () => {
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

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  "I62: an answer %i promise turns after the submit becomes durable without a further input",
  async (turns) => {
    const scripted = createScriptedVenue();
    const venue = Object.assign(scripted, {
      submit: async (child: Parameters<typeof scripted.submit>[0]) => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        return filled(child);
      },
    });
    const world = await createWorld({ venue });
    const order = await world.place({ type: "STOP_MARKET", stopPrice: "110" });
    world.engine.market.quote({ symbol: SYMBOL, bid: "120", ask: "121" });
    expect(await world.engine.idle()).toEqual({ inFlight: 0, unknown: 0, waitingFor: [] });
    expect(statusOf(await world.order(order)).status).toBe("FILLED");
  },
);
