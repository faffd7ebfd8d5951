import { add, max, min, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { Level, MarketSide, Quote } from "../../model/index.ts";
import type { QuoteDrop } from "../../ports/index.ts";
import { executableSide, type Fired, meets, type TriggerBook, type Watch } from "../../triggers/index.ts";
import type { ParentStep } from "../core/live-order.ts";
import type { QuoteGate } from "./quote-gate.ts";

/** What an order of a market waits for. */
export type OrderWatch = Readonly<{ orderId: number; watch: Watch }>;

/** Quotes of a market that did not count since the last one that did. */
export type DroppedQuotes = Readonly<{ count: number; last: QuoteDrop }>;

/** What own children took of the sizes of one side since the source has last told them, and may take yet. */
type Taken = { executed: Quantity; readonly inFlight: Map<string, Quantity> };

/**
 * One market of an engine: its quote gate, its trigger book, and the quote that stands in it (decision 16). Orders act on
 * what own children have left of its sizes. A counted quote brings new sizes, and a heartbeat too if it is later than the
 * last own execution.
 */
export class Market {
  readonly gate: QuoteGate;
  readonly book: TriggerBook;
  /** Number of counted quotes and heartbeats that confirmed one. */
  observation = 0;
  /** The last quote that the book was given: none after an opening until the source has spoken. */
  shown: Quote | undefined;
  /** What became of the quotes after the last counted one; undefined if none came. */
  dropped: DroppedQuotes | undefined;
  readonly #taken: Readonly<Record<MarketSide, Taken>> = {
    bid: { executed: ZERO_QUANTITY, inFlight: new Map() },
    ask: { executed: ZERO_QUANTITY, inFlight: new Map() },
  };
  readonly #sides = [this.#taken.bid, this.#taken.ask];
  /** When an own execution was last counted here, in engine time. */
  #executedAtMs = Number.NEGATIVE_INFINITY;

  constructor(gate: QuoteGate, book: TriggerBook) {
    this.gate = gate;
    this.book = book;
  }

  /** Notes a counted quote. */
  quoted(): void {
    this.observation++;
    for (const taken of this.#sides) {
      taken.executed = ZERO_QUANTITY;
      if (taken.inFlight.size > 0) taken.inFlight.clear();
    }
  }

  /** Notes that the source has confirmed its last quote. What children in flight may take is not confirmed. */
  confirmed(nowMs: number): void {
    this.observation++;
    if (nowMs > this.#executedAtMs) for (const taken of this.#sides) taken.executed = ZERO_QUANTITY;
  }

  /** Takes the orders out of the book whose condition a quote meets, and returns their fires. */
  fire(watches: readonly OrderWatch[], quote: Quote): readonly Fired[] {
    const fired: Fired[] = [];
    for (const { orderId, watch } of watches) {
      const met = firedBy(orderId, watch, quote);
      if (met !== undefined && this.book.remove(orderId)) fired.push(met);
    }
    return fired;
  }

  /** Follows the children of a durable step. */
  follow({ order, facts }: ParentStep, nowMs: number): void {
    const taken = this.#taken[executableSide(order.intent.side)];
    const { inFlight } = taken;
    for (const fact of facts) {
      if (fact.kind === "CHILD_INTENDED") inFlight.set(fact.child.childId, fact.child.quantity);
      else if (fact.kind === "CHILD_CLOSED") inFlight.delete(fact.childId);
      else if (fact.kind === "FILLED") {
        const { childId, fill } = fact;
        this.#executedAtMs = nowMs;
        taken.executed = add(taken.executed, fill.quantity);
        const open = inFlight.get(childId);
        if (open !== undefined) inFlight.set(childId, max(subtract(open, fill.quantity), ZERO_QUANTITY));
      }
    }
  }

  /** Returns a quote of this market with what is left of its sizes. */
  left(quote: Quote): Quote {
    const bids = leftOf(quote.bids, this.#taken.bid);
    const asks = leftOf(quote.asks, this.#taken.ask);
    return bids === quote.bids && asks === quote.asks ? quote : { ...quote, bids, asks };
  }
}

/** Returns the fire of an order whose watch a quote meets. A trailing order fires only on a quote after that of its activation. */
function firedBy(orderId: number, watch: Watch, quote: Quote): Fired | undefined {
  const observed = quote[watch.side];
  if (watch.kind === "every") return { orderId, observed };
  if (watch.kind !== "level" || !meets(watch.condition, observed)) return undefined;
  return { orderId, observed, level: watch.condition.level };
}

/** Takes a quantity from levels, best first. A level without a size has any quantity. */
function leftOf(levels: readonly Level[], { executed, inFlight }: Taken): readonly Level[] {
  let taken = executed;
  for (const quantity of inFlight.values()) taken = add(taken, quantity);
  if (taken === ZERO_QUANTITY) return levels;
  return levels.map((level) => {
    if (level.size === undefined) return level;
    const part = min(level.size, taken);
    taken = subtract(taken, part);
    return { ...level, size: subtract(level.size, part) };
  });
}
