import { describe, expect, it } from "vitest";
import { formatQuantity, price, type Quantity, quantity } from "../../src/decimal/index.ts";
import { type TapeOptions, VolumeTape } from "../../src/engine/market/volume-tape.ts";
import type { PrintInput, VolumeState } from "../../src/ports/index.ts";

const BTC = "BTC/USD";
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** Whole minutes. */
/** A time of clocks that were never set. */
const clocksAt = (ms: number): { wallMs: number; nowMs: number } => ({ wallMs: ms, nowMs: ms });

const NOW = 1_699_963_200_000;
const EMPTY: VolumeState = { totals: [], bars: [], prints: [] };

const tapeWith = (options: Partial<TapeOptions> = {}): VolumeTape =>
  new VolumeTape({ state: EMPTY, maxAgeMs: 5_000, maxAheadMs: 1_000, maxWaiting: 1_000_000, ...options });

const print = (id: string, more: Partial<PrintInput> = {}): PrintInput => ({
  symbol: BTC,
  price: "7424.9",
  quantity: "1",
  id,
  timeMs: NOW,
  ...more,
});

/** The result of a print at NOW in a tape that counted print "a". */
function verdict(input: PrintInput): string {
  const tape = tapeWith();
  tape.take(print("a"), clocksAt(NOW));
  const taken = tape.take(input, clocksAt(NOW));
  return typeof taken === "string" ? taken : `counted ${taken.fresh ? "fresh" : "late"}`;
}

const totalOf = (tape: VolumeTape, symbol = BTC): string => formatQuantity(tape.total(symbol));
const minutesOf = (tape: VolumeTape, symbol = BTC): readonly string[] =>
  tape
    .minutes({ symbol, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })
    .map((bar) => `${(NOW - bar.minuteMs) / MINUTE}: ${formatQuantity(bar.quantity)}`);

describe("a print counts", () => {
  it.each([
    ["once by its id", print("a"), "duplicate"],
    [
      "once by its id, whatever its other members are now",
      print("a", { quantity: "2", timeMs: NOW + 9 }),
      "duplicate",
    ],
    ["by another id", print("b"), "counted fresh"],
    ["by the same id of another symbol", print("a", { symbol: "ETH/USD" }), "counted fresh"],
    ["with an id of 64 characters", print("i".repeat(64)), "counted fresh"],
    ["with an id of 65", print("i".repeat(65)), "malformed"],
    ["with an empty id", print(""), "malformed"],
    ["with a space and a tilde in its id", print(" ~"), "counted fresh"],
    ["with a line break in its id", print("a\nb"), "malformed"],
    ["with a line break after its id", print("b\n"), "malformed"],
    ["with an id beyond ASCII", print("é"), "malformed"],
    ["with a number as id", print(7 as never), "malformed"],
    ["of quantity zero", print("b", { quantity: "0.000000" }), "malformed"],
    ["of a negative quantity", print("b", { quantity: "-1" }), "malformed"],
    ["below one step", print("b", { quantity: "0.0000009" }), "malformed"],
    ["of the largest quantity", print("b", { quantity: "999999999999.999999" }), "counted fresh"],
    ["of more", print("b", { quantity: "1000000000000" }), "malformed"],
    ["with a number as quantity", print("b", { quantity: 1 as never }), "malformed"],
    ["at price zero", print("b", { price: "0" }), "malformed"],
    ["with an exponent as price", print("b", { price: "1e3" }), "malformed"],
    ["without a price", print("b", { price: undefined as never }), "malformed"],
    ["at no time", print("b", { timeMs: Number.NaN }), "malformed"],
    ["at half a millisecond", print("b", { timeMs: NOW + 0.5 }), "malformed"],
    ["before all time", print("b", { timeMs: -1 }), "malformed"],
    ["as far ahead as allowed", print("b", { timeMs: NOW + 1_000 }), "counted fresh"],
    ["further ahead", print("b", { timeMs: NOW + 1_001 }), "future"],
    ["as old as fresh may be", print("b", { timeMs: NOW - 5_000 }), "counted fresh"],
    ["older", print("b", { timeMs: NOW - 5_001 }), "counted late"],
    ["executed before one that already counted", print("b", { timeMs: NOW - 1 }), "counted fresh"],
  ])("%s: %o", (_what, input, expected) => {
    expect(verdict(input)).toBe(expected);
  });

  it("and is returned as it was counted", () => {
    expect(tapeWith().take(print("a", { timeMs: NOW - 9_000 }), clocksAt(NOW))).toEqual({
      symbol: BTC,
      id: "a",
      price: price("7424.9"),
      quantity: quantity("1"),
      timeMs: NOW - 9_000,
      seenAtMs: NOW,
      fresh: false,
    });
  });

  it("when a print from the future arrives again in its time: one that did not count is not remembered", () => {
    const tape = tapeWith();
    expect(tape.take(print("a", { timeMs: NOW + 60_000 }), clocksAt(NOW))).toBe("future");
    expect(tape.take(print("a", { timeMs: NOW + 60_000 }), clocksAt(NOW + 60_000))).toMatchObject({
      fresh: true,
    });
  });
});

describe("contract, POST /api/order rule 5: totals include only fresh volume", () => {
  it("per symbol, without late prints", () => {
    const tape = tapeWith();
    tape.take(print("a", { quantity: "0.5" }), clocksAt(NOW));
    tape.take(print("b", { quantity: "0.25", timeMs: NOW - 5_001 }), clocksAt(NOW));
    tape.take(print("c", { quantity: "0.000001" }), clocksAt(NOW));
    tape.take(print("c", { quantity: "9" }), clocksAt(NOW));
    expect([totalOf(tape), totalOf(tape, "ETH/USD"), totalOf(tape, "XRP/USD")]).toEqual([
      "0.500001",
      "0",
      "0",
    ]);
  });

  it("exactly, beyond 2^53", () => {
    const tape = tapeWith();
    for (const id of ["a", "b"]) tape.take(print(id, { quantity: "999999999999.999999" }), clocksAt(NOW));
    tape.take(print("c", { quantity: "0.000001" }), clocksAt(NOW));
    expect(totalOf(tape)).toBe("1999999999999.999999");
  });
});

describe("one-minute bars", () => {
  it("contain every print in the minute of its execution, oldest first", () => {
    const tape = tapeWith();
    tape.take(print("a", { quantity: "1", timeMs: NOW + 1_000 }), clocksAt(NOW));
    tape.take(print("b", { quantity: "2", timeMs: NOW - 1 }), clocksAt(NOW));
    tape.take(print("c", { quantity: "3", timeMs: NOW - 600 * MINUTE }), clocksAt(NOW));
    tape.take(print("d", { quantity: "4", timeMs: NOW - 599 * MINUTE - 1 }), clocksAt(NOW));
    expect(minutesOf(tape)).toEqual(["600: 7", "1: 2", "0: 1"]);
    expect(minutesOf(tape, "XRP/USD")).toEqual([]);
  });

  it("a range includes its first minute and excludes its last", () => {
    const tape = tapeWith();
    for (const before of [3, 2, 1])
      tape.take(print(`${before}`, { quantity: `${before}`, timeMs: NOW - before * MINUTE }), clocksAt(NOW));
    const range = { symbol: BTC, fromMs: NOW - 3 * MINUTE, toMs: NOW - MINUTE };
    expect(tape.minutes(range)).toEqual([
      { symbol: BTC, minuteMs: NOW - 3 * MINUTE, quantity: quantity("3") },
      { symbol: BTC, minuteMs: NOW - 2 * MINUTE, quantity: quantity("2") },
    ]);
  });

  it("are kept for the last 1,440 minutes; an older print counts once and is in no bar", () => {
    const tape = tapeWith();
    tape.take(print("new"), clocksAt(NOW));
    tape.take(print("in", { timeMs: NOW - DAY + MINUTE }), clocksAt(NOW));
    expect(tape.take(print("out", { timeMs: NOW - DAY + MINUTE - 1 }), clocksAt(NOW))).toMatchObject({
      fresh: false,
    });
    expect(tape.take(print("out"), clocksAt(NOW))).toBe("duplicate");
    expect(minutesOf(tape)).toEqual(["1439: 1", "0: 1"]);
    tape.take(print("next", { timeMs: NOW + MINUTE }), clocksAt(NOW + MINUTE));
    expect(minutesOf(tape)).toEqual(["0: 1", "-1: 1"]);
  });
});

describe("counted prints are handed over once", () => {
  it("in the order of counting, of all symbols, including late prints", () => {
    const tape = tapeWith();
    expect([tape.hasPrints, tape.takePrints()]).toEqual([false, []]);
    tape.take(print("a"), clocksAt(NOW));
    tape.take(print("a"), clocksAt(NOW));
    tape.take(print("b", { symbol: "ETH/USD" }), clocksAt(NOW + 1));
    tape.take(print("c", { timeMs: 0 }), clocksAt(NOW + 2));
    expect(tape.hasPrints).toBe(true);
    const first = tape.takePrints();
    expect(first.map(({ id, seenAtMs }) => [id, seenAtMs - NOW])).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ]);
    tape.take(print("e"), clocksAt(NOW + 4));
    expect(first).toHaveLength(3);
    expect(tape.takePrints().map(({ id }) => id)).toEqual(["e"]);
    expect(tape.hasPrints).toBe(false);
  });
});

describe("a tape starts with the store's content", () => {
  const huge = "1999999999999.999999";
  const state: VolumeState = {
    totals: [{ symbol: BTC, total: 1_999_999_999_999_999_999n as unknown as Quantity }],
    bars: [
      { symbol: BTC, minuteMs: NOW - DAY, quantity: quantity("8") },
      { symbol: BTC, minuteMs: NOW, quantity: quantity("2") },
      { symbol: "XRP/USD", minuteMs: NOW, quantity: quantity("3") },
    ],
    prints: [
      { symbol: BTC, id: "b", seenAtMs: NOW },
      { symbol: BTC, id: "a", seenAtMs: NOW - 1_000 },
      { symbol: "XRP/USD", id: "c", seenAtMs: NOW },
    ],
  };

  it("I15's rule for prints: a print counted before a restart is not counted again", () => {
    const tape = tapeWith({ state });
    expect(["a", "b"].map((id) => tape.take(print(id), clocksAt(NOW)))).toEqual(["duplicate", "duplicate"]);
    expect(totalOf(tape)).toBe(huge);
    expect(minutesOf(tape)).toEqual(["0: 2"]);
  });

  it("continues from there, and nothing is to be appended", () => {
    const tape = tapeWith({ state });
    expect(tape.hasPrints).toBe(false);
    tape.take(print("d", { quantity: "0.000001" }), clocksAt(NOW));
    expect([totalOf(tape), minutesOf(tape)]).toEqual(["2000000000000", ["0: 2.000001"]]);
  });

  it("of every symbol in the store, also if the exchange no longer has it", () => {
    const tape = tapeWith({ state });
    expect([totalOf(tape, "XRP/USD"), minutesOf(tape, "XRP/USD")]).toEqual(["0", ["0: 3"]]);
    expect(tape.take(print("c", { symbol: "XRP/USD" }), clocksAt(NOW))).toBe("duplicate");
  });

  it("forgets its ids in the order in which they were first seen, in whatever order the store returned them", () => {
    const tape = tapeWith({ state });
    tape.evict(NOW, 100);
    expect(tape.take(print("b"), clocksAt(NOW))).toBe("duplicate");
    expect(tape.take(print("a"), clocksAt(NOW))).toMatchObject({ id: "a" });
  });
});

describe("memory is bounded", () => {
  it("forget drops at most the given number of ids at a time, over all symbols", () => {
    const tape = tapeWith();
    for (const id of ["a", "b", "c"]) tape.take(print(id), clocksAt(NOW - 1));
    expect([tape.evict(NOW, 2), tape.evict(NOW, 2), tape.evict(NOW, 2)]).toEqual([2, 1, 0]);
  });

  it("forget drops ids first seen, and bars begun, before a time; totals stay", () => {
    const tape = tapeWith();
    tape.take(print("a", { timeMs: NOW - MINUTE }), clocksAt(NOW - 1));
    tape.take(print("b"), clocksAt(NOW));
    tape.stored(tape.takePrints());
    tape.evict(NOW, 100);
    expect([totalOf(tape), minutesOf(tape)]).toEqual(["1", ["0: 1"]]);
    expect(tape.take(print("b"), clocksAt(NOW))).toBe("duplicate");
    expect(tape.take(print("a"), clocksAt(NOW))).toMatchObject({ id: "a" });
  });

  it("at most 500,000 ids per symbol, oldest dropped first; each symbol has its own", () => {
    const tape = tapeWith();
    const take = (number: number): unknown => tape.take(print(`${number}`), clocksAt(NOW));
    tape.take(print("0", { symbol: "ETH/USD" }), clocksAt(NOW));
    for (let number = 0; number < 500_000; number++) take(number);
    tape.takePrints();
    expect(take(0)).toBe("duplicate");
    for (let number = 500_000; number < 500_003; number++) take(number);
    expect([3, 4, 500_002].map(take)).toEqual(["duplicate", "duplicate", "duplicate"]);
    expect(tape.take(print("0", { symbol: "ETH/USD" }), clocksAt(NOW))).toBe("duplicate");
    expect([2, 1].map(take)).toMatchObject([{ id: "2" }, { id: "1" }]);
    expect([5, 4, 3, 500_002].map(take)).toMatchObject(["duplicate", { id: "4" }, { id: "3" }, "duplicate"]);
  });
});
