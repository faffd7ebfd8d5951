import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Notional, type Price, price, type Quantity } from "../../src/decimal/index.ts";
import { type Sizing, type SizingContext, sizeChild } from "../../src/lifecycle/index.ts";
import type { ParentIntent, Quote, Side } from "../../src/model/index.ts";
import { quoteAt, Subject } from "./support.ts";

/**
 * A market of few steps, small enough to try every child: a rest, the minimum in steps at the best price, sizes at the
 * best price and at one worse by a tenth, and what display, slice or share and the exposure allow.
 */
type Case = Readonly<{
  rest: number;
  least: number;
  best: number;
  next: number;
  most?: number;
  fixed: boolean;
  reducible?: number;
  side: Side;
  change: Partial<ParentIntent>;
}>;

const LIMIT = {};
const STOP = { type: "STOP_MARKET", stopPrice: price("100") } as const;

const cases = (change: fc.Arbitrary<Partial<ParentIntent>>): fc.Arbitrary<Case> =>
  fc.record(
    {
      rest: fc.integer({ min: 1, max: 40 }),
      least: fc.integer({ min: 1, max: 9 }),
      best: fc.integer({ min: 1, max: 40 }),
      next: fc.integer({ min: 0, max: 40 }),
      most: fc.integer({ min: 1, max: 40 }),
      fixed: fc.boolean(),
      reducible: fc.integer({ min: 1, max: 40 }),
      side: fc.constantFrom<Side>("BUY", "SELL"),
      change,
    },
    { requiredKeys: ["rest", "least", "best", "next", "fixed", "side", "change"] },
  );

const BEST = 100_0000_0000;
/** One tenth worse: higher for a BUY, lower for a SELL. */
const WORSE: Readonly<Record<Side, number>> = { BUY: 110_0000_0000, SELL: 90_0000_0000 };

function sized({ rest, least, best, next, most, fixed, reducible, side, change }: Case): Sizing {
  const inside = change.type === undefined ? { price: WORSE[side] as Price } : {};
  const { order } = new Subject({ side, quantity: rest as Quantity, ...inside, ...change });
  const levels = [
    { price: BEST as Price, size: best as Quantity },
    ...(next > 0 ? [{ price: WORSE[side] as Price, size: next as Quantity }] : []),
  ];
  const at = quoteAt("100", "100");
  const quote: Quote = side === "BUY" ? { ...at, asks: levels } : { ...at, bids: levels };
  const context: SizingContext = {
    minimum: (BEST * least) as Notional,
    ...(most !== undefined && { most: most as Quantity, ...(fixed && { largest: most as Quantity }) }),
    ...(change.reduceOnly === true && { reducible: (reducible ?? rest) as Quantity }),
  };
  return sizeChild(order, quote, context);
}

/** What counts as the rest, and the most that is allowed. */
const restOf = ({ rest, reducible, change }: Case): number =>
  Math.min(rest, change.reduceOnly === true ? (reducible ?? rest) : rest);
const allowedOf = (of: Case): number => Math.min(restOf(of), of.most ?? restOf(of));
const visibleOf = ({ best, next }: Case): number => best + next;

/** Whether the visible part of a child of this quantity reaches the minimum. */
function executes({ best, next, least, side }: Case, quantity: number): boolean {
  const [atBest, atNext] = [Math.min(quantity, best), Math.min(Math.max(quantity - best, 0), next)];
  return atBest * BEST + atNext * WORSE[side] >= least * BEST;
}

const isDust = ({ least }: Case, left: number): boolean => left > 0 && left < least;

/** Every child that executes whole, is worth the minimum, and leaves nothing or enough. */
function cleanChildren(of: Case): readonly number[] {
  const most = Math.min(allowedOf(of), visibleOf(of));
  const all = Array.from({ length: most }, (_, index) => index + 1);
  return all.filter((quantity) => executes(of, quantity) && !isDust(of, restOf(of) - quantity));
}

/** Whether parts of at most a fixed size, each worth the minimum, can execute all of a quantity. */
const isWholeInParts = ({ least, most, fixed }: Case, left: number): boolean =>
  left === 0 || !fixed || most === undefined || Math.ceil(left / most) * least <= left;

const sentBy = (sizing: Sizing): number => (sizing.kind === "send" ? Number(sizing.quantity) : 0);
const ANY = fc.constantFrom(LIMIT, STOP, { reduceOnly: true }, { ...STOP, reduceOnly: true });

describe("exact laws of a child, against every other child that is possible", () => {
  it("it leaves no dust as long as another executable one leaves none", () => {
    fc.assert(
      fc.property(cases(ANY), (of) => {
        const sent = sentBy(sized(of));
        if (sent === 0) return;
        const left = restOf(of) - Math.min(sent, visibleOf(of));
        if (isDust(of, left)) expect(cleanChildren(of)).toEqual([]);
      }),
      { numRuns: 20_000 },
    );
  });

  it("it is never more than slice, display, share and exposure allow, and worth the minimum", () => {
    fc.assert(
      fc.property(cases(ANY), (of) => {
        const sent = sentBy(sized(of));
        expect(sent).toBeLessThanOrEqual(allowedOf(of));
        if (sent > 0 && of.change.reduceOnly !== true) expect(executes(of, sent)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  it("there is one whenever one leaves no dust; reduce-only and triggered market orders never wait for more", () => {
    fc.assert(
      fc.property(cases(ANY), (of) => {
        const sizing = sized(of);
        if (sizing.kind !== "wait") return;
        if (sizing.reason === "NOT_FILLABLE_WHOLE") expect(of.change).toEqual(LIMIT);
        const lasting = cleanChildren(of).filter((child) => isWholeInParts(of, restOf(of) - child));
        expect(lasting).toEqual([]);
      }),
      { numRuns: 20_000 },
    );
  });

  it("FOK: all of it is visible", () => {
    fc.assert(
      fc.property(cases(fc.constant({ ...STOP, childTimeInForce: "FOK" })), (of) => {
        expect(sentBy(sized(of))).toBeLessThanOrEqual(visibleOf(of));
      }),
      { numRuns: 5_000 },
    );
  });

  it("BUY and SELL are mirrors at one price", () => {
    fc.assert(
      fc.property(cases(ANY), (of) => {
        const flat = { ...of, next: 0 };
        expect(sentBy(sized({ ...flat, side: "BUY" }))).toBe(sentBy(sized({ ...flat, side: "SELL" })));
      }),
      { numRuns: 5_000 },
    );
  });

  it("parts of a fixed size execute the whole, if any parts of at most that size can", () => {
    const parts = fc.record({ least: fc.integer({ min: 1, max: 9 }), most: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 120 }), ({ least, most }, whole) => {
        const [fewest, greatest] = [Math.ceil(whole / most), Math.floor(whole / least)];
        fc.pre(fewest <= greatest);
        let rest = whole;
        for (let part = 0; rest > 0 && part < 120; part++) {
          const of = {
            rest,
            least,
            best: 200,
            next: 0,
            most,
            fixed: true,
            side: "BUY" as const,
            change: LIMIT,
          };
          rest -= sentBy(sized(of));
        }
        expect(rest).toBe(0);
      }),
      { numRuns: 5_000 },
    );
  });
});
