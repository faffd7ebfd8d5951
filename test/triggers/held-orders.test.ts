import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../src/common/random.ts";
import { type Price, price } from "../../src/decimal/index.ts";
import type { MarketMark, MarketSide, Quote } from "../../src/model/index.ts";
import { MarkHistory, TriggerBook, type Watch, type Watcher } from "../../src/triggers/index.ts";
import { seedOr } from "../support/seed.ts";

const SYMBOL = "BTC/USD";
type Trail = Extract<Watch, { kind: "trail" }>;
type Active = Watcher & Readonly<{ watch: Trail & Required<Pick<Trail, "activation">> }>;

/** The orders are of so many shards. */
const SHARDS = 3;

const byShard = (marks: readonly MarketMark[]): readonly MarketMark[] =>
  marks.toSorted((a, b) => a.shard - b.shard);

const at = (value: number): Price => price(String(value));

const quoteOf = (bid: number, sequence: number): Quote => ({
  ...{ symbol: SYMBOL, bid: at(bid), ask: at(bid + 1), bids: [], asks: [] },
  ...{ timeMs: sequence, sequence },
});

/** Trailing orders that became active at some of these marks. */
function activeOrders(random: Random, history: MarkHistory): readonly Active[] {
  const orders: Active[] = [];
  for (const side of ["ask", "bid"] as const satisfies readonly MarketSide[]) {
    for (let position = 1; position <= 12; position++) {
      const seed = at(90 + random.below(20));
      for (let shard = 0; shard < SHARDS; shard++)
        history.add({ shard, symbol: SYMBOL, side, position, price: seed, timeMs: position });
      for (let n = random.below(4); n > 0; n--) {
        const distance = random.chance(0.5)
          ? ({ kind: "amount", amount: at(1 + random.below(9)) } as const)
          : ({ kind: "bps", bps: 50 + random.below(900) } as const);
        const orderId = -256 * (orders.length + 1) - random.below(SHARDS);
        const watch = { kind: "trail", side, distance, activation: { position, seed } } as const;
        orders.push({ orderId, acceptedAtMs: 1, acceptance: orders.length, watch });
      }
    }
  }
  return orders;
}

/** Compares a book of held orders with one to which the same orders were added. Returns how many fired. */
function compareOnce(random: Random): number {
  const marks = new MarkHistory();
  const orders = activeOrders(random, marks);
  const [added, held] = [new TriggerBook(SYMBOL, marks), new TriggerBook(SYMBOL, marks)];
  for (const order of orders) held.hold(order);
  const gone = new Set(orders.filter(() => random.chance(0.2)));
  expect([...gone].every(({ orderId }) => held.remove(orderId))).toBe(true);
  while (held.restoreHeld());
  for (const order of orders) if (!gone.has(order)) added.add(order);
  expect(held.size).toBe(added.size);
  const references = (book: TriggerBook) => orders.map(({ orderId }) => book.reference(orderId));
  expect(references(held)).toEqual(references(added));
  let fired = 0;
  for (let sequence = 1; sequence < 20; sequence++) {
    const quote = quoteOf(85 + random.below(30), sequence);
    const seen = held.observe(quote);
    expect(seen).toEqual(added.observe(quote));
    expect(byShard(held.takeMarks())).toEqual(byShard(added.takeMarks()));
    fired += seen.fired.length;
  }
  return fired;
}

describe("decision YM, I31: orders that are held until the marks are known", () => {
  it("have the references, and fire in the order, of orders that are added with the marks", () => {
    let fired = 0;
    for (let seed = seedOr(1); seed < seedOr(1) + 100; seed++) fired += compareOnce(createRandom(seed));
    expect(fired).toBeGreaterThan(500);
  });

  it("see no quote and have no reference before, and leave the book if the marks lack their activation", () => {
    const history = new MarkHistory();
    const book = new TriggerBook(SYMBOL, history);
    const [first, second, third] = activeOrders(createRandom(3), new MarkHistory());
    if (first === undefined || second === undefined || third === undefined) throw new Error("no orders");
    book.hold(first);
    expect([book.has(first.orderId), book.reference(first.orderId)]).toEqual([true, undefined]);
    expect(() => book.hold(first)).toThrow(/I24/);
    expect(book.restoreHeld()).toBe(true);
    expect([book.restoreHeld(), book.size]).toEqual([false, 0]);
    expect(() => book.add(first)).toThrow(/I31/);
  });
});
