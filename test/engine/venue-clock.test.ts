import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { VenueClock } from "../../src/engine/children/venue-clock.ts";
import { type Core, coreOf } from "../../src/engine/core/core.ts";
import { Timers } from "../../src/engine/time/timers.ts";
import type { NotFound } from "../../src/ports/index.ts";
import { createScriptedVenue, filled, type ScriptedVenue, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World, type WorldOptions } from "../support/world.ts";

const HOUR = 3_600_000;
const SUBMIT_MS = 2_000;
const QUIET_MS = 2_000;

/** How far the venue's clock is ahead of true time. The monotonic clock of a world shows true time. */
type Venue = Readonly<{ aheadMs: number; answerMs?: number }>;

/** A world whose venue tells its time when asked, and judges deadlines by it. */
async function worldOf(
  { aheadMs, answerMs = 0 }: Venue,
  { venue = createScriptedVenue(), ...options }: WorldOptions = {},
): Promise<World & Readonly<{ venueMs: () => number }>> {
  let nowMs = (): number => START_MS;
  const venueMs = (): number => nowMs() + aheadMs;
  venue.venueTimeMs = () =>
    new Promise((resolve) => {
      if (answerMs === 0) resolve(venueMs());
      else later(answerMs, () => resolve(venueMs()));
    });
  let later: (ms: number, run: () => void) => void = () => undefined;
  const world = await createWorld({
    venue,
    ...options,
    clock(clock) {
      nowMs = clock.monotonicMs;
      later = (ms, run) => void clock.schedule(clock.monotonicMs() + ms, run);
      return clock;
    },
  });
  await world.engine.idle();
  return Object.assign(world, { venueMs });
}

/** The deadline of the newest child less the venue's time. */
const leftOf = (world: World, venueMs: () => number): number =>
  (world.venue.deadlines.at(-1) ?? 0) - venueMs();

describe("deadlines are set by the venue's time, as its answers bound it", () => {
  it("the wall clock counts as long as it agrees with the venue's answers", async () => {
    const world = await worldOf({ aheadMs: 0 });
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(leftOf(world, world.venueMs)).toBe(SUBMIT_MS);
    expect(world.reported).not.toContain("venue.clock-apart");
  });

  it.each([HOUR, -HOUR, 10_000, -10_000])("of a venue %s ms ahead", async (aheadMs) => {
    const world = await worldOf({ aheadMs });
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(Math.abs(leftOf(world, world.venueMs) - SUBMIT_MS)).toBeLessThanOrEqual(1);
    expect(world.reported).toContain("venue.clock-apart");
  });

  it.each([-HOUR, HOUR])("a wall clock that is set by %s ms moves no deadline", async (stepMs) => {
    const world = await worldOf({ aheadMs: 0 });
    world.clock.stepWall(stepMs);
    // After a step forward the venue is asked again, because the machine may have slept.
    await world.place({ price: "90" });
    await world.quote("99", "100");
    await world.pass(100);
    await world.place({ price: "100" });
    await world.engine.idle();
    expect(Math.abs(leftOf(world, world.venueMs) - SUBMIT_MS)).toBeLessThanOrEqual(1);
  });

  it("a slow answer leaves its own duration open, and the wall clock inside of it counts", async () => {
    const world = await worldOf({ aheadMs: -700, answerMs: 400 });
    await world.pass(500);
    await world.place({ price: "100" });
    await world.quote("99", "100");
    const left = leftOf(world, world.venueMs);
    expect(left).toBeGreaterThanOrEqual(SUBMIT_MS);
    expect(left).toBeLessThanOrEqual(SUBMIT_MS + 400 + 2);
  });

  it("a time in other units is refused, and told to the operator", async () => {
    const venue = createScriptedVenue();
    venue.venueTimeMs = () => Promise.resolve(START_MS * 1_000);
    const world = await createWorld({ venue });
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(venue.deadlines).toEqual([START_MS + SUBMIT_MS]);
    expect(world.reported).toContain("venue.time-refused");
  });

  it("a venue that cannot say its time now is asked again, and the wall clock counts until then", async () => {
    let isOut = true;
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    venue.venueTimeMs = () => (isOut ? Promise.reject(new Error("no connection")) : Promise.resolve(now()));
    const now = (): number => world.clock.monotonicMs() - HOUR;
    await world.crash();
    await world.place({ price: "100" });
    await world.quote("99", "100");
    isOut = false;
    await world.pass(30_000);
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(venue.deadlines[0]).toBe(START_MS + SUBMIT_MS);
    expect(Math.abs(leftOf(world, now) - SUBMIT_MS)).toBeLessThanOrEqual(1);
    expect(world.reported).toContain("host.failed");
  });

  it("a time in a not found serves as well", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const now = (): number => world.clock.monotonicMs() - HOUR;
    venue.onSubmit = () => "silence";
    venue.onLookup = () => ({ notFoundAtMs: now() });
    await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.pass(10_000);
    await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(venue.deadlines).toHaveLength(2);
    // Up to 10 s may have passed since the answer, with a drift of 0.1 %.
    expect(Math.abs(leftOf(world, now) - SUBMIT_MS)).toBeLessThanOrEqual(11);
  });

  it("every intent names it in the journal", async () => {
    const world = await worldOf({ aheadMs: -HOUR });
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    const notAfterMs = (await world.order(order)).child?.notAfterMs ?? Number.NaN;
    expect(Math.abs(notAfterMs - (world.venueMs() + SUBMIT_MS))).toBeLessThanOrEqual(1);
  });

  it("the venue's time lies within the bounds, whatever the delays, the drift and steps of the wall clock back", () => {
    const delay = fc.integer({ min: 0, max: 3_000 });
    const step = fc.record({
      passMs: fc.integer({ min: 0, max: 100_000 }),
      outMs: delay,
      backMs: delay,
      stepMs: fc.integer({ min: -HOUR, max: 0 }),
    });
    const steps = fc.array(step, { minLength: 1, maxLength: 20 });
    const ppm = fc.integer({ min: -900, max: 900 });
    fc.assert(
      fc.property(steps, ppm, fc.integer({ min: -HOUR, max: HOUR }), (moves, drift, aheadMs) => {
        const { clock, wait, core } = clockAlone();
        const venueClock = new VenueClock(core, createScriptedVenue(), timersOf(core));
        const venueMs = (): number =>
          Math.floor(START_MS + aheadMs + (clock.monotonicMs() - START_MS) * (1 + drift / 1e6));
        for (const { passMs, outMs, backMs, stepMs } of moves) {
          wait(passMs);
          const requestedAt = core.time.moment();
          wait(outMs);
          const reported = venueMs();
          wait(backMs);
          venueClock.receive(reported, requestedAt);
          clock.stepWall(stepMs);
          const errorMs = Math.abs(venueClock.nowMs() - venueMs());
          expect(errorMs).toBeLessThanOrEqual(longestOf(moves) + 2);
        }
      }),
      { numRuns: 200 },
    );
  });
});

type Move = Readonly<{ passMs: number; outMs: number; backMs: number }>;

/** The most that an estimate may be wrong: the longest answer, and twice the drift since the shortest. */
const longestOf = (moves: readonly Move[]): number =>
  Math.max(...moves.map(({ outMs, backMs }) => outMs + backMs)) +
  moves.reduce((sum, { passMs, outMs, backMs }) => sum + passMs + outMs + backMs, 0) * 2e-3;

/** A manual clock whose time passes at once, and an engine's core on it. */
function clockAlone() {
  const manual = createManualClock({ startMs: START_MS });
  let passedMs = 0;
  const clock = {
    ...manual,
    nowMs: () => manual.nowMs() + passedMs,
    monotonicMs: () => manual.monotonicMs() + passedMs,
  };
  const core = coreOf({ clock, store: createMemoryStore() } as never);
  const wait = (ms: number): void => {
    passedMs += ms;
  };
  return { clock, wait, core };
}

const timersOf = (core: Core) => new Timers(core.clock, core.time, () => undefined);

const isVoided = async (world: World, orderId: number): Promise<boolean> =>
  (await world.facts(await world.order(orderId))).includes("CHILD_CLOSED");

/** A child that was handed over and never answered. */
async function lost(world: World): Promise<number> {
  world.venue.onSubmit = () => "silence";
  const { orderId } = await world.place({ price: "100" });
  await world.quote("99", "100");
  return orderId;
}

describe("I22: one clock judges the deadline and its proof", () => {
  it("not found without a time counts only after the venue has told a later time than the deadline", async () => {
    const world = await worldOf({ aheadMs: 0 });
    const orderId = await lost(world);
    let reportedMs = world.clock.monotonicMs();
    world.venue.venueTimeMs = () => Promise.resolve(reportedMs);
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(false);
    reportedMs = START_MS + SUBMIT_MS + QUIET_MS - 1;
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(false);
    reportedMs += 2;
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(true);
  });

  it("the quiet time follows the deadline by the times in not found too", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    let notFoundAtMs = START_MS + SUBMIT_MS + QUIET_MS - 1;
    venue.onLookup = (): NotFound => ({ notFoundAtMs });
    const orderId = await lost(world);
    await world.crash();
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(false);
    notFoundAtMs++;
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(true);
  });

  it("slow look-ups of many children do not take each other's proof away", async () => {
    const world = await worldOf({ aheadMs: 0 });
    world.venue.onLookup = () =>
      new Promise((resolve) => {
        world.clock.schedule(world.clock.monotonicMs() + 1_500, () => resolve("not-found"));
      });
    const orders: number[] = [];
    for (let n = 0; n < 20; n++) {
      orders.push(await lost(world));
      await world.pass(300);
    }
    await world.pass(120_000);
    for (const orderId of orders) expect(await isVoided(world, orderId)).toBe(true);
  });

  it("a venue that can tell its time, and does not, proves nothing by the wall clock: a person is asked", async () => {
    const venue = createScriptedVenue();
    venue.venueTimeMs = () => Promise.reject(new Error("no connection"));
    const world = await createWorld({ venue });
    const orderId = await lost(world);
    await world.pass(120_000);
    expect(await isVoided(world, orderId)).toBe(false);
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["UNKNOWN_ESCALATED"]);
  });

  it("after a restart, the proof needs a later time than the intent names", async () => {
    const world = await worldOf({ aheadMs: 0 });
    const orderId = await lost(world);
    world.venue.venueTimeMs = () => Promise.resolve(START_MS + SUBMIT_MS + QUIET_MS - 1);
    await world.crash();
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(false);
    world.venue.venueTimeMs = () => Promise.resolve(START_MS + SUBMIT_MS + QUIET_MS);
    await world.pass(20_000);
    expect(await isVoided(world, orderId)).toBe(true);
  });

  it("a not found in other units of time proves nothing", async () => {
    const venue = createScriptedVenue();
    const world = await createWorld({ venue });
    const orderId = await lost(world);
    venue.onLookup = (): NotFound => ({ notFoundAtMs: world.clock.monotonicMs() * 1_000 });
    await world.pass(30_000);
    expect(await isVoided(world, orderId)).toBe(false);
  });

  it.each([
    ["right", 0],
    ["an hour ahead", HOUR],
    ["an hour behind", -HOUR],
  ])(
    "a process that stops before its socket is written executes once, with a wall clock %s",
    async (_, wallMs) => {
      const book = lateVenue();
      const world = await worldOf({ aheadMs: 0 }, { venue: book.venue });
      book.nowMs = world.venueMs;
      world.clock.stepWall(wallMs);
      const order = await world.place({ price: "100", quantity: "1" });
      for (let n = 0; n < 3; n++) {
        await world.pass(100);
        await world.quote("99", "100");
      }
      for (let n = 0; n < 40; n++) {
        await world.pass(500);
        await world.quote("99", "100");
        if (n === 12) book.wake();
      }
      expect(await world.status(order)).toBe("FILLED FILLED");
      expect(book.executed).toHaveLength(1);
      expect(new Set(sentTo(book.venue)).size).toBe(1);
      const ids = book.venue.submitted.map(({ childId }) => childId);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

/** A venue whose first child stays in its process until `wake`, seconds after its deadline. */
function lateVenue(): {
  readonly venue: ScriptedVenue;
  readonly executed: string[];
  nowMs: () => number;
  wake: () => void;
} {
  const venue = createScriptedVenue();
  const book = { venue, executed: [] as string[], nowMs: () => START_MS, wake: (): void => undefined };
  venue.onSubmit = (child) => {
    const deadlineMs = venue.deadlines.at(-1) ?? 0;
    const land = () => {
      if (book.nowMs() > deadlineMs) return { childId: child.childId, state: "rejected", fills: [] } as const;
      book.executed.push(child.childId);
      return filled(child);
    };
    if (venue.submitted.length > 1) return land();
    book.wake = () => void land();
    return "silence";
  };
  venue.onLookup = () => ({ notFoundAtMs: book.nowMs() });
  return book;
}

describe("a venue that can void is asked to, before its clock counts", () => {
  const both = { honoursDeadline: true, canVoid: true };

  it("also if it honours deadlines", async () => {
    const venue = createScriptedVenue(both);
    const world = await createWorld({ venue });
    const orderId = await lost(world);
    await world.pass(10_000);
    expect(venue.voids).toEqual([venue.submitted[0]?.childId]);
    expect(await isVoided(world, orderId)).toBe(true);
  });

  it("it needs no proof by time: a wall clock that was set back delays nothing", async () => {
    const venue = createScriptedVenue(both);
    const world = await createWorld({ venue });
    const orderId = await lost(world);
    world.clock.stepWall(-HOUR);
    await world.crash();
    await world.pass(10_000);
    expect(await isVoided(world, orderId)).toBe(true);
  });

  it.each<[string, () => Error | Promise<never>]>([
    ["fails", () => new Error("no connection")],
    ["is not answered", () => new Promise(() => undefined)],
  ])("a void that %s leaves the proof by the deadline", async (_, onVoid) => {
    const venue = createScriptedVenue(both);
    const world = await createWorld({ venue });
    venue.onVoid = onVoid;
    venue.onLookup = () => ({ notFoundAtMs: world.clock.monotonicMs() });
    const orderId = await lost(world);
    await world.pass(20_000);
    expect(venue.voids).toHaveLength(1);
    expect(await isVoided(world, orderId)).toBe(true);
  });

  it("without the deadline's proof, a void that fails is asked for again", async () => {
    const venue = createScriptedVenue(both);
    const world = await createWorld({ venue });
    venue.onVoid = () => new Error("no connection");
    venue.onLookup = () => ({ notFoundAtMs: START_MS });
    const orderId = await lost(world);
    await world.pass(20_000);
    expect(venue.voids.length).toBeGreaterThan(1);
    expect(await isVoided(world, orderId)).toBe(false);
  });
});
