import { describe, expect, it } from "vitest";
import { Price } from "../../../src/index.ts";
import { trailingLevel } from "../../../src/rules/index.ts";
import { executableSide } from "../../../src/triggers/index.ts";
import { EVERY_KIND, onWalk, placeEveryKind, START_MS, SYMBOL, walk } from "../report/walks.ts";

/** A walk in which the bracket's entry is filled, so that its exits are released. */
const SEED = 2;

describe("the course of the market in a result", () => {
  it("is there on request only, and does not change the run", async () => {
    const [without, chart] = [await onWalk(1, placeEveryKind, { chart: false }), await onWalk(1)];
    expect(without.chart).toBeUndefined();
    expect(chart.chart?.markets.map(({ symbol }) => symbol)).toEqual([SYMBOL]);
    expect(chart.hash).toBe(without.hash);
  });

  it("has every quote of a short market, and the sum of its trades", async () => {
    const { chart, counts } = await onWalk(2, () => undefined);
    const [market] = chart?.markets ?? [];
    const quotes = walk(2, 200).filter(({ kind }) => kind === "quote");
    expect(market?.prices).toMatchObject(
      quotes.map((row) =>
        row.kind === "quote" ? { timeMs: row.timeMs, bid: row.bid.replace(/\.?0+$/, "") } : {},
      ),
    );
    expect(market?.volumes).toHaveLength(counts.trades);
  });

  it.each([1, 2, 3])(
    "the last reference and level of a trail are those at which the engine fired (seed %i)",
    async (seed) => {
      const { chart, orders } = await onWalk(seed, placeEveryKind, { seconds: 300 });
      const fired = orders.filter(({ trigger }) => trigger?.reference !== undefined);
      for (const { orderId, intent, trigger } of fired) {
        const trail = chart?.orders.find((each) => each.orderId === orderId)?.trail ?? [];
        const { reference = Price.parse("1"), level } = trigger ?? {};
        expect(trail.at(-1)?.reference).toBe(Price.format(reference));
        expect(trail.at(-1)?.level).toBe(level && Price.format(level));
        const { trailing: distance } = intent;
        if (distance === undefined) throw new Error("the order does not trail");
        expect(level).toBe(trailingLevel({ side: executableSide(intent.side), reference, distance }));
      }
      expect(fired.length).toBeGreaterThan(0);
    },
  );

  it("the arrival of an order is the quote at its acceptance, that of a held leg the quote at its release", async () => {
    const { chart, orders, journal } = await onWalk(SEED, placeEveryKind, { seconds: 300 });
    const [first] = walk(SEED, 1);
    if (first?.kind !== "quote") throw new Error("the walk begins with a quote");
    const arrivals = new Map(chart?.orders.map(({ orderId, arrival }) => [orderId, arrival]));
    for (const { orderId } of orders.slice(0, EVERY_KIND.length))
      expect(arrivals.get(orderId)).toMatchObject({ timeMs: START_MS });
    const released = journal.flatMap(({ timeMs, changes }) =>
      changes
        .filter(({ facts }) => facts.some(({ kind }) => kind === "RELEASED"))
        .map(({ orderId }) => ({ orderId, timeMs })),
    );
    expect(released).toHaveLength(2);
    for (const { orderId, timeMs } of released) expect(arrivals.get(orderId)?.timeMs).toBe(timeMs);
  });
});
