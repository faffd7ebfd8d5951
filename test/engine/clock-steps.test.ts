import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { EngineTime } from "../../src/engine/core/engine-time.ts";
import { Timers } from "../../src/engine/time/timers.ts";
import { createScriptedVenue, reported } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const HOUR = 3_600_000;

/** Times of all records, in the order in which they were reported, from the start. */
const recordTimes = (world: World): readonly number[] =>
  world.updates.map(({ record }) => record.timeMs - START_MS);

const steps = (world: World): readonly string[] =>
  world.alerts.filter(({ alert }) => alert === "CLOCK_STEPPED").map(({ detail }) => detail);

describe("engine time", () => {
  it("continues when the wall clock is set back: slots, expiry and retries come in time", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const gtd = await world.place({ price: "50", expireTime: START_MS + 10_000 });
    const twap = await world.place({ type: "TWAP", quantity: "3", interval: 1_000, intervalCount: 3 });
    const stop = await world.place({ type: "STOP_MARKET", stopPrice: "120", newClientOrderId: "stop" });
    world.clock.stepWall(-HOUR);
    for (let n = 0; n < 3; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
    expect(await world.status(twap)).toBe("FILLED FILLED");
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await world.quote("119", "120");
    world.venue.onSubmit = createScriptedVenue().onSubmit;
    await world.pass(100);
    await world.quote("119", "120");
    expect(await world.status(stop)).toBe("FILLED FILLED");
    await world.pass(6_899);
    expect(await world.status(gtd)).toBe("NEW WAITING");
    await world.pass(1);
    expect(await world.status(gtd)).toBe("EXPIRED EXPIRED");
    const times = recordTimes(world);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });

  it("jumps forward with the wall clock by the smallest step, and work that is due then happens at once", async () => {
    const world = await createWorld();
    const gtd = await world.place({ price: "50", expireTime: START_MS + 1_000 });
    world.clock.stepWall(1_000);
    await world.pass(0);
    expect(await world.status(gtd)).toBe("EXPIRED EXPIRED");
    expect(recordTimes(world).at(-1)).toBe(1_000);
  });

  it("never falls over a restart, even if the wall clock was set back in between", async () => {
    const world = await createWorld();
    await world.place({ price: "50" });
    await world.pass(5_000);
    await world.place({ price: "50" });
    world.clock.stepWall(-HOUR);
    await world.crash();
    await world.place({ price: "50" });
    await world.pass(1_000);
    await world.place({ price: "50" });
    expect(recordTimes(world)).toEqual([0, 5_000, 5_000, 6_000]);
  });

  it("begins after the newest record, even if a snapshot contains everything", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1 } });
    await world.pass(5_000);
    await world.place({ price: "50" });
    await world.engine.close();
    world.clock.stepWall(-HOUR);
    await world.crash();
    await world.place({ price: "50" });
    expect(recordTimes(world)).toEqual([5_000, 5_000]);
  });

  it("a GTD order placed while the wall clock is set back lives for the requested time, over a restart too", async () => {
    const world = await createWorld();
    world.clock.stepWall(-HOUR);
    const order = await world.place({ price: "50", expireTime: world.clock.nowMs() + 10_000 });
    await world.pass(5_000);
    await world.print("1");
    await world.crash();
    await world.pass(4_999);
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.pass(1);
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    await expect(world.place({ price: "50", expireTime: world.clock.nowMs() })).rejects.toMatchObject({
      reason: "INVALID_PARAMETER",
    });
  });
});

describe("retention after a wrong wall clock", () => {
  const DAY = 24 * HOUR;

  it("keeps every ended order when one reading was 40 days ahead and the process restarted", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "50", newClientOrderId: "once" });
    await world.cancel(order);
    world.clock.stepWall(40 * DAY);
    await world.place({ price: "51" });
    world.clock.stepWall(-40 * DAY);
    await world.crash();
    await world.pass(HOUR);
    await world.pass(HOUR);
    expect(await world.status(order)).toBe("CANCELED CANCELED");
  });

  it("is never later than the wall clock, and knows of a step for as long as asked by the monotonic clock", async () => {
    const clock = createManualClock({ startMs: START_MS + 40 * DAY });
    const time = new EngineTime(clock, 1_000);
    clock.stepWall(-40 * DAY);
    time.startFrom(START_MS + 41 * DAY);
    expect(time.retentionMs()).toBe(START_MS);
    expect(time.hasSteppedWithin(HOUR)).toBe(true);
    await clock.advanceBy(HOUR + 1);
    expect(time.hasSteppedWithin(HOUR)).toBe(false);
    expect(time.retentionMs()).toBe(START_MS + HOUR + 1);
  });
});

describe("engine time follows a wall clock that is far ahead when a second witness agrees", () => {
  const DAY = 24 * HOUR;
  const TWAP = { type: "TWAP", quantity: "10", interval: 1_000, intervalCount: 10 } as const;

  /** Ten seconds of a market. */
  async function tenSeconds(world: World): Promise<void> {
    for (let n = 0; n < 10; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
  }

  it.each([
    ["while the engine runs", false],
    ["at the opening", true],
  ])("one reading a day ahead for 20 ms ends nothing, %s", async (_, reopens) => {
    const world = await createWorld();
    await world.quote("99", "100");
    const gtd = await world.place({ price: "50", expireTime: START_MS + HOUR });
    const twap = await world.place({ ...TWAP, newClientOrderId: "twap" });
    world.clock.stepWall(DAY);
    if (reopens) await world.crash();
    await world.pass(20);
    world.clock.stepWall(-DAY);
    await tenSeconds(world);
    expect(await world.status(twap)).toBe("FILLED FILLED");
    expect(await world.status(gtd)).toBe("NEW WAITING");
    expect(recordTimes(world).filter((timeMs) => timeMs > HOUR)).toEqual([]);
    await world.pass(HOUR);
    expect(await world.status(gtd)).toBe("EXPIRED EXPIRED");
  });

  it("a wall clock that says so for ten seconds is followed, and one that is set again begins them anew", async () => {
    const world = await createWorld();
    const gtd = await world.place({ price: "50", expireTime: START_MS + HOUR });
    world.clock.stepWall(DAY);
    await world.pass(9_999);
    world.clock.stepWall(-HOUR);
    await world.pass(9_999);
    expect(await world.status(gtd)).toBe("NEW WAITING");
    await world.pass(1);
    expect(await world.status(gtd)).toBe("EXPIRED EXPIRED");
    expect(recordTimes(world).at(-1)).toBe(DAY - HOUR + 19_999);
  });

  it("an order past its expiry by a wall clock that nothing confirms neither ends nor submits", async () => {
    const world = await createWorld();
    const gtd = await world.place({ price: "100", expireTime: START_MS + HOUR });
    world.clock.stepWall(DAY);
    await world.quote("99", "100");
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(await world.status(gtd)).toBe("NEW WAITING");
    expect(world.venue.submitted).toEqual([]);
    world.clock.stepWall(-DAY);
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(await world.status(gtd)).toBe("FILLED FILLED");
  });

  it("the venue's told time is a witness: it ends what the machine slept over at once, and no more", async () => {
    const venue = createScriptedVenue();
    let aheadMs = 0;
    const world = await createWorld({ venue });
    venue.venueTimeMs = () => Promise.resolve(world.clock.monotonicMs() + aheadMs);
    await world.crash();
    const first = await world.place({ price: "50", expireTime: START_MS + HOUR });
    const second = await world.place({ price: "50", expireTime: START_MS + 3 * HOUR });
    await world.pass(1_000);
    aheadMs = 2 * HOUR;
    world.clock.stepWall(4 * HOUR);
    await world.pass(1);
    await world.pass(1);
    expect(await world.status(first)).toBe("EXPIRED EXPIRED");
    expect(await world.status(second)).toBe("NEW WAITING");
  });

  it("a schedule is not accepted meanwhile: its slots would be jumped over", async () => {
    const world = await createWorld();
    world.clock.stepWall(DAY);
    await expect(world.place(TWAP)).rejects.toMatchObject({ reason: "DISCONNECTED" });
    await world.pass(10_000);
    await world.quote("99", "100");
    expect(await world.status(await world.place(TWAP))).toBe("NEW WAITING");
  });
});

describe("CLOCK_STEPPED", () => {
  it("is reported once for each step of a second or more, and names no order", async () => {
    const world = await createWorld();
    world.clock.stepWall(-HOUR);
    await world.pass(1);
    world.clock.stepWall(999);
    await world.pass(1);
    world.clock.stepWall(2 * HOUR);
    await world.pass(1);
    await world.pass(1);
    expect(steps(world)).toEqual([
      "the wall clock was set back by 3600000 ms",
      "the wall clock was set forward by 7200000 ms; nothing expires or ends by it until the clock of the venue or of a store on another machine confirms it, or it has said so for 10000 ms more",
    ]);
    expect(world.alerts.every(({ orderId }) => orderId === undefined)).toBe(true);
  });

  it("also on a clock that does not report steps, at the next event", async () => {
    const world = await createWorld({
      clock: ({ onStep: _onStep, ...clock }) => clock,
      settings: { clockStepMs: 60_000 },
    });
    world.clock.stepWall(59_999);
    await world.quote("99", "100");
    world.clock.stepWall(-60_000);
    await world.quote("99", "100");
    expect(steps(world)).toEqual(["the wall clock was set back by 60000 ms"]);
  });
});

describe("quotes when the wall clock is set", () => {
  it("set back, the last quote becomes stale with age, and its time does not limit later ones", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    world.clock.stepWall(-HOUR);
    await world.pass(5_000, { heartbeat: false });
    expect(world.engine.quote("BTC/USD")?.fresh).toBe(true);
    await world.pass(1, { heartbeat: false });
    expect(world.engine.quote("BTC/USD")?.fresh).toBe(false);
    const timeMs = world.clock.nowMs();
    expect(await world.quote("99", "100", { timeMs })).toBe("counted");
    expect(await world.quote("99", "100", { timeMs: timeMs - 1 })).toBe("out-of-order");
    expect(world.engine.quote("BTC/USD")?.fresh).toBe(true);
  });

  it("set forward, the last quote is stale at once; set back again within its time, it is fresh", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    world.clock.stepWall(HOUR);
    expect(world.engine.quote("BTC/USD")?.fresh).toBe(false);
    world.clock.stepWall(-HOUR);
    expect(world.engine.quote("BTC/USD")?.fresh).toBe(true);
  });

  it("a source with the right time does not count while the local clock is an hour behind, and no child is sent on an earlier quote", async () => {
    const world = await createWorld();
    await world.place({ type: "STOP_MARKET", stopPrice: "100" });
    world.clock.stepWall(-HOUR);
    expect(await world.quote("99", "100", { timeMs: START_MS })).toBe("future");
    expect(world.venue.submitted).toEqual([]);
    world.clock.stepWall(HOUR);
    expect(await world.quote("99", "100", { timeMs: START_MS })).toBe("counted");
    expect(world.venue.submitted).toHaveLength(1);
  });

  it("the age of a print is judged by the wall clock; its id is remembered in engine time", async () => {
    const world = await createWorld();
    await world.print("1");
    world.clock.stepWall(HOUR);
    await world.print("1", { id: "late", timeMs: START_MS });
    world.clock.stepWall(-2 * HOUR);
    await world.print("1", { id: "future", timeMs: START_MS });
    await world.print("1", { id: "print-1", timeMs: world.clock.nowMs() });
    const { printsCounted, printsDropped } = world.engine.metrics();
    expect([printsCounted, printsDropped]).toEqual([2, 2]);
  });
});

describe("timers", () => {
  it("wait by the monotonic clock, or are due in engine time, in whichever direction the wall clock is set", async () => {
    const clock = createManualClock({ startMs: 0 });
    const time = new EngineTime(clock, 1_000);
    const timers = new Timers(clock, time, () => undefined);
    timers.begin();
    time.begin();
    time.watch({
      jumped: () => timers.rearm(),
      stepped: () => void timers.after(10_000, () => void time.nowMs()),
    });
    const ran: string[] = [];
    const note = (name: string) => () => ran.push(`${name} ${clock.monotonicMs()}`);
    timers.at(10_000, note("at"));
    timers.after(10_000, note("after"));
    timers.at(3_000_000, note("at later"));
    clock.stepWall(-HOUR);
    await clock.advanceBy(9_999);
    expect(ran).toEqual([]);
    await clock.advanceBy(1);
    expect(ran).toEqual(["at 10000", "after 10000"]);
    timers.after(60_000, note("after"));
    clock.stepWall(2 * HOUR);
    await clock.advanceBy(10_000);
    expect(ran.slice(2)).toEqual(["at later 20000"]);
    await clock.advanceBy(50_000);
    expect(ran.slice(3)).toEqual(["after 70000"]);
  });

  it("passive ones arm no timer of the clock, and run before the next input, in order with the others", async () => {
    const clock = createManualClock({ startMs: 0 });
    const timers = new Timers(clock, new EngineTime(clock, 1_000), () => undefined);
    timers.begin();
    const ran: string[] = [];
    timers.whileQuoted(10, () => ran.push("passive 10"));
    timers.whileQuoted(30, () => ran.push("passive 30"));
    await clock.advanceTo(100);
    expect(ran).toEqual([]);
    timers.at(20, () => ran.push("at 20"));
    timers.whileQuoted(25, () => ran.push("canceled"))();
    timers.runDue();
    timers.runDue();
    expect(ran).toEqual(["passive 10", "at 20", "passive 30"]);
  });
});
