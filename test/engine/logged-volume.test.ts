import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { formatQuantity, type Quantity } from "../../src/decimal/index.ts";
import { VolumeTape } from "../../src/engine/market/volume-tape.ts";
import { StatusBoard } from "../../src/engine/status/status-board.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { PrintInput } from "../../src/ports/index.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

const NOW = START_MS;

const logged = (sequence: number, total: string, more: Partial<PrintInput> = {}): PrintInput => ({
  ...{ symbol: SYMBOL, price: "100", quantity: "1", id: `t${sequence}`, timeMs: NOW, sequence, total },
  ...more,
});

const tapeOf = (): VolumeTape =>
  new VolumeTape({
    ...{ symbols: [SYMBOL, "ETH/USD"], state: { totals: [], bars: [], prints: [] } },
    ...{ maxAgeMs: 5_000, maxAheadMs: 1_000, maxWaiting: 1_000 },
  });

const taken = (tape: VolumeTape, print: PrintInput, wallMs = NOW): string => {
  const verdict = tape.take(print, { wallMs, nowMs: wallMs });
  return typeof verdict === "string" ? verdict : `counted ${verdict.fresh ? "fresh" : "late"}`;
};

const textOf = (total: Quantity | undefined): string | undefined =>
  total === undefined ? undefined : formatQuantity(total);
const totalOf = (tape: VolumeTape): string | undefined => textOf(tape.loggedTotal(SYMBOL));

describe("the log of a market", () => {
  it.each([
    ["of the next trade", logged(8, "101"), "counted fresh", "101"],
    ["after a gap", logged(20, "400.5"), "counted fresh", "400.5"],
    ["twice", logged(7, "100"), "duplicate", "100"],
    ["of an earlier trade", logged(6, "99"), "out-of-log", "100"],
    ["of the same place as another", logged(7, "101", { id: "x" }), "out-of-log", "100"],
    ["whose total leaves no room for it", logged(8, "100.999999"), "out-of-log", "100"],
    ["whose total falls", logged(8, "1"), "out-of-log", "100"],
    ["without a total", logged(8, undefined as never), "malformed", "100"],
    ["without a sequence", logged(undefined as never, "101"), "malformed", "100"],
    ["with neither", { ...logged(8, ""), sequence: undefined, total: undefined }, "counted fresh", "100"],
    ["with sequence 0", logged(0, "101"), "malformed", "100"],
    ["with half a sequence", logged(8.5, "101"), "malformed", "100"],
    ["with a text as sequence", logged("8" as never, "101"), "malformed", "100"],
    ["with a number as total", logged(8, 101 as never), "malformed", "100"],
    ["whose total is finer than a step", logged(8, "101.0000001"), "counted fresh", "101"],
    ["whose total is no number", logged(8, "101.0000001x"), "malformed", "100"],
    ["with a negative total", logged(8, "-101"), "malformed", "100"],
    ["beyond the largest quantity", logged(8, "1000000000000.5"), "counted fresh", "1000000000000.5"],
    [
      "beyond the safe integers",
      logged(8, "90071992547409931.000001"),
      "counted fresh",
      "90071992547409931.000001",
    ],
    ["that comes late", logged(8, "101", { timeMs: NOW - 9_000 }), "counted late", "101"],
    ["of the future", logged(8, "101", { timeMs: NOW + 1_001 }), "future", "100"],
  ])("a print %s", (_what, print, verdict, total) => {
    const tape = tapeOf();
    taken(tape, logged(7, "100"));
    expect([taken(tape, print), totalOf(tape)]).toEqual([verdict, total]);
  });

  it("begins anywhere, but not below the quantity of its first print", () => {
    expect(taken(tapeOf(), logged(1, "1"))).toBe("counted fresh");
    expect(taken(tapeOf(), logged(9_007_199_254_740_991, "5"))).toBe("counted fresh");
    expect(taken(tapeOf(), logged(1, "0.999999"))).toBe("out-of-log");
    expect(taken(tapeOf(), logged(9_007_199_254_740_992, "5"))).toBe("malformed");
  });

  it("is one of each market, unknown before its first print, and not that of the counted prints", () => {
    const tape = tapeOf();
    expect(totalOf(tape)).toBeUndefined();
    taken(tape, logged(5, "500"));
    taken(tape, { ...logged(0, ""), id: "x", sequence: undefined, total: undefined });
    expect([totalOf(tape), textOf(tape.loggedTotal("ETH/USD")), textOf(tape.total(SYMBOL))]).toEqual([
      "500",
      undefined,
      "2",
    ]);
  });

  it("goes on with a print that was counted already: from another node's store, or before a restart", () => {
    const tape = tapeOf();
    taken(tape, { ...logged(0, ""), id: "t5", sequence: undefined, total: undefined });
    expect([taken(tape, logged(5, "500")), totalOf(tape), textOf(tape.total(SYMBOL))]).toEqual([
      "duplicate",
      "500",
      "1",
    ]);
    expect([taken(tape, logged(9, "9_000", { id: "t5" })), totalOf(tape)]).toEqual(["malformed", "500"]);
    expect([taken(tape, logged(9, "900", { id: "t5", timeMs: NOW + 1_001 })), totalOf(tape)]).toEqual([
      "duplicate",
      "500",
    ]);
  });

  it("does not go on with a print that is not counted because too many wait for the store", () => {
    const tape = new VolumeTape({
      ...{ symbols: [SYMBOL], state: { totals: [], bars: [], prints: [] } },
      ...{ maxAgeMs: 5_000, maxAheadMs: 1_000, maxWaiting: 1 },
    });
    taken(tape, logged(1, "1"));
    expect([taken(tape, logged(2, "2")), totalOf(tape)]).toEqual(["backlog", "1"]);
    tape.stored(tape.takePrints());
    expect([taken(tape, logged(2, "2")), totalOf(tape)]).toEqual(["counted fresh", "2"]);
  });

  it("tells the total of now only while its newest print is fresh", () => {
    const tape = tapeOf();
    expect(tape.loggedNow(SYMBOL, NOW)).toBeUndefined();
    taken(tape, logged(1, "7", { timeMs: NOW - 1_000 }));
    expect([NOW, NOW + 4_000, NOW + 4_001].map((ms) => textOf(tape.loggedNow(SYMBOL, ms)))).toEqual([
      "7",
      "7",
      undefined,
    ]);
  });

  it("I34: whatever prints are missing or repeated, its total is that of the newest print that came", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9_007_199_254_740_991 }), {
      ...{ minLength: 1, maxLength: 20, size: "max" },
    });
    const deliveries = fc.array(fc.nat(19), { minLength: 1, maxLength: 60, size: "max" });
    fc.assert(
      fc.property(sizes, fc.nat(), deliveries, (steps, start, order) => {
        const tape = tapeOf();
        let [sum, newest] = [BigInt(start), -1];
        const prints = steps.map((size, index) => {
          sum += BigInt(size);
          const text = (units: bigint): string => formatQuantity(units as unknown as Quantity);
          return { sum, print: logged(index + 1, text(sum), { quantity: text(BigInt(size)) }) };
        });
        for (const index of order) {
          const one = prints[index];
          if (one === undefined) continue;
          taken(tape, one.print);
          newest = Math.max(newest, index);
          expect(BigInt(tape.loggedTotal(SYMBOL) ?? -1)).toBe(prints[newest]?.sum);
        }
      }),
    );
  });
});

/** A tenth of the executed volume, until 10 is filled. */
const POV = { type: "POV", quantity: "10", participationBips: 1_000 } as const;

describe("a POV in a market with a log", () => {
  const print = async (world: World, sequence: number, total: string, more: Partial<PrintInput> = {}) => {
    const { quantity, ...rest } = logged(sequence, total, { timeMs: world.clock.nowMs(), ...more });
    await world.print(quantity, rest);
  };
  const basisOf = async (world: World, order: ParentOrder): Promise<unknown> => {
    const { volumeBefore, volumeLogged } = await world.order(order);
    return [textOf(volumeBefore), volumeLogged];
  };
  const quoted = async (): Promise<World> => {
    const world = await createWorld();
    await world.quote("99", "100");
    return world;
  };

  it("gets its share of all that the log has since its acceptance, also of trades of which no print came", async () => {
    const world = await quoted();
    await print(world, 70, "1000");
    const order = await world.place(POV);
    expect(await basisOf(world, order)).toEqual(["1000", true]);
    await print(world, 75, "1020");
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
    await print(world, 75, "1020");
    await print(world, 74, "1019");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
    const { records = [] } = (await world.engine.story(order.orderId)) ?? {};
    const facts = records.flatMap(({ changes }) => changes.flatMap((change) => change.facts));
    expect(facts.find(({ kind }) => kind === "CHILD_INTENDED")).toMatchObject({ volume: 1_020_000_000 });
  });

  it("does not follow a print that comes late, but its next child has that volume too", async () => {
    const world = await quoted();
    await print(world, 1, "1");
    await world.place(POV);
    await print(world, 9, "21", { timeMs: world.clock.nowMs() - 6_000 });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    await print(world, 10, "22");
    expect(sentTo(world.venue)).toEqual(["BUY 2.1"]);
  });

  it("goes on exactly after a restart, with the first print of the log", async () => {
    const world = await quoted();
    await print(world, 1, "100");
    const order = await world.place(POV);
    await print(world, 2, "120");
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
    await world.crash();
    await world.quote("99", "100");
    await world.quote("99", "100");
    await world.print("5000", { id: "unlogged" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
    expect(await basisOf(world, order)).toEqual(["100", true]);
    await print(world, 40, "150");
    expect(sentTo(world.venue)).toEqual(["BUY 2", "BUY 3"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("a log that lags behind its acceptance gives it nothing", async () => {
    const world = await quoted();
    await print(world, 10, "100");
    await world.place(POV);
    await world.crash();
    await world.quote("99", "100");
    await world.quote("99", "100");
    await print(world, 5, "60", { id: "replayed" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    await print(world, 11, "120");
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
  });

  it("follows the counted prints if it is accepted before the first print of the log: the total starts anywhere", async () => {
    const world = await quoted();
    const order = await world.place(POV);
    expect(await basisOf(world, order)).toEqual(["0", undefined]);
    await print(world, 70, "1000000");
    expect(sentTo(world.venue)).toEqual([]);
    await print(world, 90, "1000020", { quantity: "19" });
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
  });

  it("or after a restart before the first print of the log, or while the newest print is not fresh", async () => {
    const world = await quoted();
    await print(world, 1, "100", { quantity: "5" });
    await world.crash();
    await world.quote("99", "100");
    const second = await world.place(POV);
    expect(await basisOf(world, second)).toEqual(["5", undefined]);
    await print(world, 500, "99000");
    await world.pass(5_001);
    await world.quote("99", "100");
    const third = await world.place(POV);
    expect(await basisOf(world, third)).toEqual(["6", undefined]);
    await print(world, 501, "99001");
    const fourth = await world.place(POV);
    expect(await basisOf(world, fourth)).toEqual(["99001", true]);
    expect(sentTo(world.venue)).toEqual(["BUY 0.2"]);
  });

  it("goes on with the counted prints when the market begins to have a log, and waits when it ends", async () => {
    const world = await quoted();
    await world.print("3");
    const unlogged = await world.place(POV);
    await print(world, 1, "77", { quantity: "20" });
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
    await world.cancel(unlogged);
    const order = await world.place(POV);
    expect(await basisOf(world, order)).toEqual(["77", true]);
    await world.print("500");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 2"]);
    await print(world, 2, "107");
    expect(sentTo(world.venue)).toEqual(["BUY 2", "BUY 3"]);
  });

  it("tells the operator once for each market that a print contradicts the log", async () => {
    const world = await quoted();
    await print(world, 5, "100");
    await print(world, 5, "100");
    expect(world.reported).not.toContain("market.out-of-log");
    for (const id of ["x", "y"]) await print(world, 4, "90", { id });
    expect(world.reported.filter((name) => name === "market.out-of-log")).toHaveLength(1);
    await print(world, 1, "5", { symbol: "ETH/USD" });
    await print(world, 1, "5", { symbol: "ETH/USD", id: "z" });
    expect(world.reported.filter((name) => name === "market.out-of-log")).toHaveLength(2);
    expect(world.engine.metrics().printsDropped).toBe(4);
  });

  it("a print with one of the two members is dropped, and does not throw", async () => {
    const world = await quoted();
    for (const one of [{ total: undefined }, { sequence: undefined }, { total: 5 as never }])
      world.engine.market.print(logged(5, "100", one));
    expect(world.engine.metrics()).toMatchObject({ printsCounted: 0, printsDropped: 3 });
  });

  it("while a live node could not read that the log was used, the counted prints are", async () => {
    const world = await quoted();
    await print(world, 1, "100");
    const isOutdated = vi.spyOn(StatusBoard.prototype, "hasOutdatedNodes", "get").mockReturnValue(true);
    const order = await world.place(POV);
    expect(await basisOf(world, order)).toEqual(["1", undefined]);
    isOutdated.mockRestore();
    expect(await basisOf(world, await world.place(POV))).toEqual(["100", true]);
  });
});
