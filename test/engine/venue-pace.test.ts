import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/common/random.ts";
import { VenuePace } from "../../src/engine/children/venue-queue.ts";
import { Fifo } from "../../src/engine/core/fifo.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { createWorld, START_MS } from "../support/world.ts";

/** The highest count within any second, wherever it begins; times are in order. */
function mostInASecond(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [index, ms] of times.entries()) {
    while ((times[first] ?? ms) <= ms - 1_000) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Hand-over times of children that always wait, with wake-ups only at the times of `ticks`. */
function sendTimes(rate: number, ticks: Iterable<number>): readonly number[] {
  const pace = new VenuePace();
  pace.declare(rate);
  const times: number[] = [];
  for (const nowMs of ticks)
    for (; pace.waitMs(nowMs) === 0; times.push(nowMs)) pace.sent(nowMs, times.length > 0);
  return times;
}

function* everyMs(untilMs: number): Iterable<number> {
  for (let ms = 0; ms < untilMs; ms++) yield START_MS + ms;
}

const RATES = [0.25, 1, 7, 19.5, 20, 500, 900, 1_500, 12_345];

describe("decision GS: the rate that a venue declares", () => {
  it.each(RATES)("%d per second: is reached, and no second has more", (rate) => {
    const times = sendTimes(rate, everyMs(20_000));
    expect(mostInASecond(times)).toBeLessThanOrEqual(Math.ceil(rate));
    expect(times.length).toBe(Math.ceil(20 * rate));
  });

  it.each(RATES)("%d per second: the same if timers come late, within one percent", (rate) => {
    const seed = seedOr(20_261_122);
    const random = createRandom(seed);
    function* late(): Iterable<number> {
      for (let ms = START_MS; ms < START_MS + 60_000; ms += 1 + random.below(4)) yield ms;
    }
    const times = sendTimes(rate, late());
    expect(mostInASecond(times), `SEED=${seed}`).toBeLessThanOrEqual(Math.ceil(rate));
    expect(times.length, `SEED=${seed}`).toBeGreaterThanOrEqual(Math.floor(60 * rate * 0.99));
  });

  it("after a pause the quantity of 50 ms goes out at once, at least one", () => {
    for (const [rate, burst] of [
      [10, 1],
      [100, 6],
      [900, 46],
    ] as const) {
      const times = sendTimes(rate, [START_MS, START_MS + 10_000]);
      expect(times.filter((ms) => ms === START_MS)).toHaveLength(burst);
    }
  });

  it("a lowered rate applies from then on, and a withdrawn rate no longer", () => {
    const pace = new VenuePace();
    pace.declare(100);
    for (; pace.waitMs(0) === 0; ) pace.sent(0, false);
    pace.declare(1);
    expect(pace.waitMs(10)).toBe(990);
    expect(pace.waitMs(1_000)).toBe(0);
    pace.sent(1_000, true);
    expect(pace.waitMs(1_001)).toBeGreaterThan(0);
    pace.declare(undefined);
    expect(pace.waitMs(1_001)).toBe(0);
  });

  it("states how long a child waits behind others, and it never waits longer", () => {
    for (const rate of [1, 7, 300, 900]) {
      const pace = new VenuePace();
      pace.declare(rate);
      const reported = Array.from({ length: 2_000 }, (_, others) => pace.behindMs(START_MS, others));
      const times = sendTimes(rate, everyMs((reported.at(-1) ?? 0) + 1)).slice(0, 2_000);
      const late = times.filter((ms, index) => ms - START_MS > (reported[index] ?? 0));
      expect([late, times.length]).toEqual([[], 2_000]);
    }
  });
});

describe("decisions 26, DD, GS: children of one quote at 300 a second", () => {
  it("go out at that rate in order, the first at once, and none is withdrawn for its time", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 300 });
    const world = await createWorld({ venue, settings: { submitDeadlineMs: 200 } });
    const sentAt: number[] = [];
    const { onSubmit } = venue;
    venue.onSubmit = (child) => {
      sentAt.push(world.clock.monotonicMs() - START_MS);
      return onSubmit(child);
    };
    const orders: number[] = [];
    for (let n = 0; n < 700; n++)
      orders.push((await world.place({ type: "STOP_MARKET", stopPrice: "100" })).orderId);
    await world.quote("99", "100");
    expect(sentAt).toHaveLength(16);
    await world.pass(999);
    expect(sentAt).toHaveLength(300);
    await world.pass(1_000);
    expect(sentAt).toHaveLength(600);
    await world.pass(1_000);
    expect(mostInASecond(sentAt)).toBe(300);
    expect(venue.submitted.map((child) => child.parentOrderId)).toEqual(orders);
  });
});

it("a queue is left in the order in which it was joined", () => {
  const line = new Fifo<number>();
  const out: (number | undefined)[] = [];
  for (let n = 0; n < 5_000; n++) {
    line.push(n);
    if (n % 3 > 0) out.push(line.shift());
  }
  expect([line.first, line.last, line.size]).toEqual([out.length, 4_999, 5_000 - out.length]);
  while (line.size > 0) out.push(line.shift());
  expect(out).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  expect([line.shift(), line.first, line.last, line.size]).toEqual([undefined, undefined, undefined, 0]);
  for (const item of [1, 2, 3, 4]) line.push(item);
  expect(line.takeWhile((item, taken) => item < 4 && taken < 2)).toEqual([1, 2]);
  expect([line.some((item) => item === 2), line.some((item) => item === 3), line.size]).toEqual([
    false,
    true,
    2,
  ]);
  line.clear();
  expect([line.first, line.size]).toEqual([undefined, 0]);
});
