import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalise, type Price } from "../../src/decimal/index.ts";
import type { MarketSide, Quote, TrailingDistance } from "../../src/model/index.ts";
import { type LevelCondition, TriggerBook, type Watcher } from "../../src/triggers/index.ts";

const SYMBOL = "BTC/USD";
const SIDES: readonly MarketSide[] = ["ask", "bid"];
const steps = (value: bigint): Price => normalise(value) as Price;

describe("I32 mirror: reflected prices and exchanged sides give the mirrored decisions", () => {
  /** Reflects a price at this one; levels and amounts survive it exactly, relative distances do not. */
  const CENTRE = 2000n;
  const reflect = (value: Price): Price => steps(2n * CENTRE - BigInt(value));

  const mirrored = (watcher: Watcher): Watcher => {
    const { watch } = watcher;
    const side = watch.side === "ask" ? "bid" : "ask";
    const turn = ({ direction, level }: LevelCondition): LevelCondition => ({
      direction: direction === "atOrAbove" ? "atOrBelow" : "atOrAbove",
      level: reflect(level),
    });
    if (watch.kind === "every") return { ...watcher, watch: { ...watch, side } };
    if (watch.kind === "level")
      return { ...watcher, watch: { ...watch, side, condition: turn(watch.condition) } };
    const gate = watch.gate && { gate: turn(watch.gate) };
    return { ...watcher, watch: { ...watch, side, ...gate } };
  };

  const near = fc.integer({ min: 1900, max: 2100 }).map((value) => steps(BigInt(value)));
  const side = fc.constantFrom(...SIDES);
  const condition = fc.record({
    direction: fc.constantFrom("atOrAbove" as const, "atOrBelow" as const),
    level: near,
  });
  const distance = fc
    .integer({ min: 1, max: 120 })
    .map((value): TrailingDistance => ({ kind: "amount", amount: steps(BigInt(value)) }));
  const watch: fc.Arbitrary<Watcher["watch"]> = fc.oneof(
    fc.record({ kind: fc.constant("every" as const), side }),
    fc.record({ kind: fc.constant("level" as const), side, condition }),
    fc.record(
      { kind: fc.constant("trail" as const), side, distance, gate: condition },
      { requiredKeys: ["kind", "side", "distance"] },
    ),
  );
  const events = fc.array(
    fc.oneof(
      fc.record({
        watch,
        acceptedAtMs: fc.integer({ min: 0, max: 3 }),
        acceptance: fc.integer({ min: 1, max: 1_000 }),
      }),
      fc.record({ bid: near, spread: fc.integer({ min: 0, max: 3 }) }),
    ),
    { minLength: 5, maxLength: 150 },
  );
  const quoteOf = (bid: Price, ask: Price): Quote => {
    return { symbol: SYMBOL, bid, ask, bids: [], asks: [], timeMs: 1, sequence: 1 };
  };

  it("fires and activates the same orders in the same order at the mirrored prices", () => {
    fc.assert(
      fc.property(events, (taken) => {
        const [book, mirror] = [new TriggerBook(SYMBOL), new TriggerBook(SYMBOL)];
        taken.forEach((event, index) => {
          if ("watch" in event) {
            const watcher: Watcher = { orderId: -1 - index, ...event };
            book.add(watcher);
            mirror.add(mirrored(watcher));
            return;
          }
          const ask = steps(BigInt(event.bid) + BigInt(event.spread));
          const seen = book.observe(quoteOf(event.bid, ask));
          const reflected = mirror.observe(quoteOf(reflect(ask), reflect(event.bid)));
          expect(reflected.fired).toEqual(
            seen.fired.map((fired) => ({
              orderId: fired.orderId,
              observed: reflect(fired.observed),
              ...(fired.level !== undefined && { level: reflect(fired.level) }),
              ...(fired.reference !== undefined && { reference: reflect(fired.reference) }),
            })),
          );
          expect(reflected.activated).toEqual(
            seen.activated.map(({ orderId, activation }) => ({
              orderId,
              activation: { ...activation, seed: reflect(activation.seed) },
            })),
          );
        });
      }),
      { numRuns: 150 },
    );
  });
});
