import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  compare,
  max,
  min,
  normalise,
  parseQuantity,
  type Quantity,
  type Scaled,
  subtract,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";
import { ForeignPrints } from "../../src/engine/eligibility/pov-participants.ts";
import { VolumeTape } from "../../src/engine/market/volume-tape.ts";
import type { CountedPrint, SchedulePlan, VolumeBar } from "../../src/model/index.ts";
import type { PrintInput, VolumeState } from "../../src/ports/index.ts";
import {
  closesAtMs,
  largestSlice,
  opensAtMs,
  participationTarget,
  schedulePlan,
  sliceOf,
  slotAt,
  slotsOf,
  smallestSlice,
  volumeProfile,
} from "../../src/schedules/index.ts";
import { anyQuantity } from "../support/arbitraries.ts";

const MINUTE = 60_000;

const weight: fc.Arbitrary<Scaled> = fc
  .oneof(
    { weight: 2, arbitrary: fc.constant(0n) },
    { weight: 3, arbitrary: fc.bigInt({ min: 1n, max: 1_000n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }) },
    { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 10n ** 24n }) },
  )
  .map(normalise);
const weights = fc
  .array(weight, { minLength: 1, maxLength: 40 })
  .filter((each) => each.some((one) => one > 0));
const schedule = fc.record({
  intervalMs: fc.integer({ min: 1_000, max: 86_400_000 }),
  intervalDelayMs: fc.integer({ min: 0, max: 604_800_000 }),
});
const acceptedAtMs = fc.integer({ min: 0, max: 4_102_444_800_000 });

const twapPlan = fc
  .record({ acceptedAtMs, schedule, count: fc.integer({ min: 1, max: 300 }) })
  .map((terms) => schedulePlan(terms));
const weightedPlan = fc
  .record({ acceptedAtMs, schedule, weights })
  .map((terms) => schedulePlan({ ...terms, count: terms.weights.length }));
const plan: fc.Arbitrary<SchedulePlan> = fc.oneof(twapPlan, weightedPlan);
const tiny = fc.integer({ min: 1, max: 50 }).map((steps) => steps as unknown as Quantity);
const quantity = fc.oneof(anyQuantity, tiny);

const slicesOf = (of: SchedulePlan, whole: Quantity): readonly Quantity[] =>
  Array.from({ length: of.count }, (_, slot) => sliceOf(of, whole, slot));
const sum = (values: readonly Quantity[]): Quantity => values.reduce(add, ZERO_QUANTITY);

describe("I33: slices of any quantity over any plan", () => {
  it("sum to the quantity, are never below zero, and each is the floor of its exact cumulative share", () => {
    fc.assert(
      fc.property(plan, quantity, (of, whole) => {
        const slices = slicesOf(of, whole);
        expect(sum(slices)).toBe(whole);
        const totals = of.cumulative ?? slices.map((_, slot) => slot + 1);
        const last = BigInt(totals.at(of.count - 1) ?? 0);
        let before = 0n;
        slices.forEach((slice, slot) => {
          const upTo = (BigInt(whole) * BigInt(totals.at(slot) ?? 0)) / last;
          expect(slice).toBe(normalise(upTo - before));
          expect(slice >= 0).toBe(true);
          before = upTo;
        });
      }),
    );
  });

  it("smallest slice, largest slice and the coming slots agree with the slices", () => {
    fc.assert(
      fc.property(plan, quantity, (of, whole) => {
        const slices = slicesOf(of, whole);
        const smallestOf = of.cumulative === undefined ? slices : slices.filter((slice) => slice > 0);
        expect(smallestSlice(of, whole)).toBe(smallestOf.reduce(min));
        expect(largestSlice(of, whole)).toBe(slices.reduce(max));
        expect([...slotsOf(of, whole)].map(({ slot, quantity }) => [slot, quantity])).toEqual(
          slices.flatMap((slice, slot) => (slice > 0 ? [[slot, slice]] : [])),
        );
      }),
    );
  });

  it("I34: a zero weight has no slice, and every slice is within one step of its exact share", () => {
    fc.assert(
      fc.property(weights, quantity, (each, whole) => {
        const terms = { acceptedAtMs: 0, schedule: { intervalMs: 1_000, intervalDelayMs: 0 } };
        const of = schedulePlan({ ...terms, count: each.length, weights: each });
        const total = each.reduce<bigint>((all, one) => all + BigInt(one), 0n);
        slicesOf(of, whole).forEach((slice, slot) => {
          const own = BigInt(each[slot] ?? 0);
          const error = BigInt(slice) * total - BigInt(whole) * own;
          expect(own === 0n ? slice === 0 : error < total && -error < total).toBe(true);
        });
      }),
    );
  });

  it("another order of the weights changes a slot's slice by at most one step; a common factor changes nothing", () => {
    const permuted = weights.chain((each) =>
      fc.record({
        each: fc.constant(each),
        order: fc.shuffledSubarray([...each.keys()], { minLength: each.length }),
        factor: fc.bigInt({ min: 1n, max: 10n ** 20n }),
      }),
    );
    const planOf = (each: readonly Scaled[]): SchedulePlan =>
      schedulePlan({
        acceptedAtMs: 0,
        schedule: { intervalMs: 1_000, intervalDelayMs: 0 },
        count: each.length,
        weights: each,
      });
    fc.assert(
      fc.property(permuted, quantity, ({ each, order, factor }, whole) => {
        const slices = slicesOf(planOf(each), whole);
        const moved = slicesOf(planOf(order.map((slot) => each[slot] ?? 0)), whole);
        order.forEach((slot, at) => {
          const difference = subtract(moved[at] ?? ZERO_QUANTITY, slices[slot] ?? ZERO_QUANTITY);
          expect(difference >= -1 && difference <= 1).toBe(true);
        });
        const scaled = each.map((one) => normalise(BigInt(one) * factor));
        expect(slicesOf(planOf(scaled), whole)).toEqual(slices);
      }),
    );
  });
});

describe("I33: time", () => {
  it("a time belongs to at most one slot, and never to one that has not opened or has closed", () => {
    fc.assert(
      fc.property(plan, fc.nat(), fc.nat(), (of, anySlot, into) => {
        const slot = anySlot % (2 * of.count);
        const ms = opensAtMs(of, slot) + (into % of.intervalMs);
        expect(slotAt(of, ms)).toBe(slot);
        expect(ms >= opensAtMs(of, slot) && ms < closesAtMs(of, slot)).toBe(true);
        expect(slotAt(of, opensAtMs(of, slot) - 1)).toBe(slot === 0 ? undefined : slot - 1);
        expect(slotAt(of, closesAtMs(of, slot))).toBe(slot + 1);
      }),
    );
  });
});

describe("volume profiles", () => {
  const NOW = 1_699_963_200_000;
  const bars = fc.array(
    fc.record({
      symbol: fc.constant("BTC/USD"),
      minuteMs: fc
        .oneof(fc.integer({ min: -2, max: 40 }), fc.integer({ min: 505, max: 520 }))
        .map((minutesBefore) => NOW - minutesBefore * MINUTE),
      quantity: fc.oneof(anyQuantity, fc.constant(ZERO_QUANTITY)),
    }),
    { maxLength: 30 },
  );
  const terms = fc
    .record({
      nowMs: fc.integer({ min: NOW - 3 * MINUTE, max: NOW + 3 * MINUTE }),
      intervalMinutes: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 256 })),
      part: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    })
    .map(({ nowMs, intervalMinutes, part }) => {
      const most = Math.floor(512 / intervalMinutes);
      const intervalMs = intervalMinutes * MINUTE;
      if (part === undefined) return { nowMs, intervalMs };
      return { nowMs, intervalMs, intervalCount: 2 + Math.floor(part * (most - 2)) };
    });

  /** Counts minute by minute over the whole window. */
  function naive(
    given: readonly VolumeBar[],
    { nowMs, intervalMs, intervalCount }: Parameters<typeof volumeProfile>[1],
  ): ReturnType<typeof volumeProfile> {
    const minutes: bigint[] = [];
    for (let back = 512; back >= 1; back--) {
      const at = (Math.floor(nowMs / MINUTE) - back) * MINUTE;
      const here = given.filter(({ minuteMs }) => minuteMs === at);
      minutes.push(here.reduce((all, bar) => all + BigInt(bar.quantity), 0n));
    }
    const width = intervalMs / MINUTE;
    const first = minutes.findIndex((volume) => volume > 0n);
    if (first < 0) return undefined;
    const count = intervalCount ?? Math.floor((512 - first) / width);
    if (count < 2) return undefined;
    const groups = Array.from({ length: count }, (_, group) => {
      const from = 512 - (count - group) * width;
      return minutes.slice(from, from + width).reduce((all, volume) => all + volume, 0n);
    });
    if (groups.every((volume) => volume === 0n)) return undefined;
    return { count, weights: groups.map((volume) => normalise(volume) as Quantity) };
  }

  it("agree with a count of every minute, in any order of the bars", () => {
    fc.assert(
      fc.property(bars, terms, (given, of) => {
        const expected = naive(given, of);
        expect(volumeProfile(given, of)).toEqual(expected);
        expect(volumeProfile([...given].reverse(), of)).toEqual(expected);
        if (expected !== undefined) {
          const schedule = { intervalMs: of.intervalMs, intervalDelayMs: 0 };
          schedulePlan({ acceptedAtMs: of.nowMs, schedule, ...expected });
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** A separate count of the prints that a store received. */
class StoredVolume {
  readonly #prints: CountedPrint[] = [];

  append(prints: readonly CountedPrint[]): void {
    this.#prints.push(...prints);
  }

  read(): VolumeState {
    const totals = new Map<string, Quantity>();
    const bars = new Map<string, VolumeBar>();
    for (const { symbol, quantity, timeMs, fresh } of this.#prints) {
      if (fresh) totals.set(symbol, add(totals.get(symbol) ?? ZERO_QUANTITY, quantity));
      const minuteMs = Math.floor(timeMs / MINUTE) * MINUTE;
      const bar = bars.get(`${symbol} ${minuteMs}`);
      const volume = add(bar?.quantity ?? ZERO_QUANTITY, quantity);
      bars.set(`${symbol} ${minuteMs}`, { symbol, minuteMs, quantity: volume });
    }
    return {
      totals: [...totals].map(([symbol, total]) => ({ symbol, total })),
      bars: [...bars.values()].sort((a, b) => compare(a.minuteMs, b.minuteMs)),
      prints: this.#prints.map(({ symbol, id, seenAtMs }) => ({ symbol, id, seenAtMs })),
    };
  }
}

const SYMBOLS = ["BTC/USD", "ETH/USD"];
const START = 1_699_963_200_000;
const tapeOf = (state: VolumeState): VolumeTape =>
  new VolumeTape({ state, maxAgeMs: 5_000, maxAheadMs: 1_000, maxWaiting: 1_000_000 });
const shown = (tape: VolumeTape): unknown =>
  SYMBOLS.map((symbol) => [
    tape.total(symbol),
    tape.minutes({ symbol, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }),
  ]);

type Delivery = Readonly<{ print: PrintInput; nowMs: number }>;

/** Prints in rising time; few ids, so that many repeat. */
const deliveries: fc.Arbitrary<readonly Delivery[]> = fc
  .array(
    fc.record({
      symbol: fc.constantFrom(...SYMBOLS),
      id: fc.integer({ min: 0, max: 30 }).map(String),
      steps: fc.oneof(fc.integer({ min: 1, max: 10_000_000 }), fc.constant(999_999_999_999_999)),
      ageMs: fc.oneof(fc.integer({ min: -1_500, max: 6_000 }), fc.integer({ min: 0, max: 90 * MINUTE })),
      pauseMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 5 * MINUTE })),
    }),
    { maxLength: 80 },
  )
  .map((given) => {
    let nowMs = START;
    return given.map(({ symbol, id, steps, ageMs, pauseMs }) => {
      nowMs += pauseMs;
      const quantity = `${Math.floor(steps / 1_000_000)}.${String(steps % 1_000_000).padStart(6, "0")}`;
      return { print: { symbol, id, price: "100", quantity, timeMs: nowMs - ageMs }, nowMs };
    });
  });

describe("each print counts once by its id", () => {
  it("totals and bars are the sums of the first timely print of each id", () => {
    fc.assert(
      fc.property(deliveries, (given) => {
        const tape = tapeOf(new StoredVolume().read());
        const stored = new StoredVolume();
        const known = new Set<string>();
        for (const { print, nowMs } of given) {
          const { symbol, id, timeMs } = print;
          const first = !known.has(`${symbol} ${id}`) && timeMs <= nowMs + 1_000;
          const taken = tape.take(print, { wallMs: nowMs, nowMs });
          expect(typeof taken).toBe(first ? "object" : "string");
          if (!first) continue;
          known.add(`${symbol} ${id}`);
          const quantity = parseQuantity(print.quantity) ?? ZERO_QUANTITY;
          const fresh = timeMs >= nowMs - 5_000;
          stored.append([{ symbol, id, quantity, timeMs, seenAtMs: nowMs, fresh }]);
        }
        const { totals, bars } = stored.read();
        for (const symbol of SYMBOLS) {
          const total = totals.find((one) => one.symbol === symbol)?.total;
          expect(tape.total(symbol)).toBe(total ?? ZERO_QUANTITY);
          expect(tape.minutes({ symbol, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })).toEqual(
            bars.filter((bar) => bar.symbol === symbol),
          );
        }
      }),
    );
  });

  it("a tape restored from the store counts no print twice when all are delivered again", () => {
    fc.assert(
      fc.property(deliveries, fc.nat(), fc.nat(), (given, cut, more) => {
        const whole = tapeOf(new StoredVolume().read());
        for (const { print, nowMs } of given) whole.take(print, { wallMs: nowMs, nowMs });

        const stored = new StoredVolume();
        const before = tapeOf(stored.read());
        const crashAt = given.length === 0 ? 0 : cut % given.length;
        const durableTo = crashAt === 0 ? 0 : more % crashAt;
        given.slice(0, durableTo).forEach(({ print, nowMs }) => {
          before.take(print, { wallMs: nowMs, nowMs });
          if (nowMs % 3 === 0) stored.append(before.takePrints());
        });
        stored.append(before.takePrints());
        given.slice(durableTo, crashAt).forEach(({ print, nowMs }) => {
          before.take(print, { wallMs: nowMs, nowMs });
        });

        const after = tapeOf(stored.read());
        for (const { print, nowMs } of given) after.take(print, { wallMs: nowMs, nowMs });
        expect(shown(after)).toEqual(shown(whole));
        stored.append(after.takePrints());
        expect(shown(tapeOf(stored.read()))).toEqual(shown(whole));
      }),
    );
  });
});

describe("I34: POV", () => {
  const market = fc.array(
    fc.record({
      steps: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 10 ** 12 })),
      late: fc.boolean(),
      again: fc.boolean(),
      filled: fc.double({ min: 0, max: 1, noNaN: true }),
      silent: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  it("never exceeds its share of the volume, own fills included, and rests without external prints", () => {
    fc.assert(
      fc.property(market, fc.integer({ min: 1, max: 10_000 }), (given, bips) => {
        const symbol = "BTC/USD";
        const tape = tapeOf(new StoredVolume().read());
        const own = new Set<string>();
        const prints = new ForeignPrints({ isOwn: (id) => own.has(id), doubtMs: 6_000 });
        const text = (steps: number): string =>
          `${Math.floor(steps / 1_000_000)}.${String(steps % 1_000_000).padStart(6, "0")}`;
        const printed = (id: string, steps: number, timeMs: number): void => {
          const taken = tape.take(
            { symbol, id, price: "100", quantity: text(steps), timeMs },
            { wallMs: START, nowMs: START },
          );
          if (typeof taken === "object" && taken.fresh) prints.add(id, 0);
        };
        printed("before", 5_000_000, START);
        const volumeBefore = tape.total(symbol);
        let { position } = prints;
        let executed = ZERO_QUANTITY;
        given.forEach(({ steps, late, again, filled, silent }, index) => {
          printed(`x${again ? index - 1 : index}`, steps, late ? START - 5_001 : START);
          if (prints.newest <= position) return;
          position = prints.position;
          const target = participationTarget(subtract(tape.total(symbol), volumeBefore), bips);
          const due = subtract(target, executed);
          const fill = Math.floor((due as number) * filled);
          if (fill <= 0) return;
          executed = add(executed, fill as unknown as Quantity);
          own.add(`own${index}`);
          if (!silent) printed(`own${index}`, fill, START);
          expect(prints.newest).toBeLessThanOrEqual(position);
          const volume = BigInt(subtract(tape.total(symbol), volumeBefore));
          expect(BigInt(executed) * 10_000n <= BigInt(bips) * volume).toBe(true);
        });
      }),
    );
  });
});
