import { add, max, min, type Price, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import { limitConditionOf } from "../../lifecycle/index.ts";
import type { Level, MarketSide, Quote } from "../../model/index.ts";
import type { Instruments, QuoteDrop } from "../../ports/index.ts";
import {
  executableSide,
  type Fired,
  type LevelCondition,
  meets,
  type TriggerBook,
  trailingLevel,
  type Watch,
} from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { ParentStep } from "../core/live-order.ts";
import type { QuoteGate } from "./quote-gate.ts";

/** What an order of a market waits for. */
export type OrderWatch = Readonly<{
  orderId: number;
  watch: Watch;
  /** Set by an amend: its trailing level may have come to the other side of the quote that stands. */
  isAmended?: true;
}>;

/** Quotes of a market that did not count since the last one that did. */
export type DroppedQuotes = Readonly<{ count: number; last: QuoteDrop }>;

/** What own children took of the sizes of one side since the source has last told them, and may take yet. */
type Taken = { executed: Quantity; readonly inFlight: Map<string, InFlight> };

/** What a child may still take, and at which prices; at any without a condition. */
type InFlight = Readonly<{ quantity: Quantity; inside: LevelCondition | undefined }>;

/**
 * One market of an engine: its quote gate, its trigger book, and the quote that stands in it. Orders act on what own
 * children have left of its sizes. A counted quote brings new sizes, and a heartbeat too if it is later than the last own
 * execution.
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
  /** What is left of a quote, until that changes: the orders that one quote meets look at it one by one. */
  #left: Readonly<{ of: Quote; quote: Quote }> | undefined;
  /** When an own execution was last counted here, by the monotonic clock. */
  #executedAtMs = Number.NEGATIVE_INFINITY;

  constructor(gate: QuoteGate, book: TriggerBook) {
    this.gate = gate;
    this.book = book;
  }

  /** Notes a counted quote. */
  quoted(): void {
    this.#observed(true);
    const { bid, ask } = this.#taken;
    if (bid.inFlight.size > 0) bid.inFlight.clear();
    if (ask.inFlight.size > 0) ask.inFlight.clear();
  }

  /** Notes that the source has confirmed its last quote. What children in flight may take is not confirmed. */
  confirmed(atMs: number): void {
    this.#observed(atMs > this.#executedAtMs);
  }

  #observed(showsExecutions: boolean): void {
    this.observation++;
    this.#left = undefined;
    const { bid, ask } = this.#taken;
    if (showsExecutions) bid.executed = ask.executed = ZERO_QUANTITY;
  }

  /** Takes the orders out of the book whose condition a quote meets, and returns their fires. */
  fire(watches: readonly OrderWatch[], quote: Quote): readonly Fired[] {
    const fired: Fired[] = [];
    for (const { orderId, watch, isAmended } of watches) {
      const reference = isAmended && !this.book.isBusy ? this.book.reference(orderId) : undefined;
      const met = firedBy(orderId, watch, { quote, reference });
      if (met !== undefined && this.book.remove(orderId)) fired.push(met);
    }
    return fired;
  }

  /** Follows the children of a durable step. */
  follow({ order, facts }: ParentStep, atMs: number): void {
    const taken = this.#taken[executableSide(order.intent.side)];
    const { inFlight } = taken;
    this.#left = undefined;
    for (const fact of facts) {
      if (fact.kind === "CHILD_INTENDED") {
        const { childId, quantity } = fact.child;
        inFlight.set(childId, { quantity, inside: limitConditionOf(order) });
      } else if (fact.kind === "CHILD_CLOSED") inFlight.delete(fact.childId);
      else if (fact.kind === "FILLED") {
        const { childId, fill } = fact;
        this.#executedAtMs = atMs;
        taken.executed = add(taken.executed, fill.quantity);
        const open = inFlight.get(childId);
        if (open !== undefined)
          inFlight.set(childId, {
            ...open,
            quantity: max(subtract(open.quantity, fill.quantity), ZERO_QUANTITY),
          });
      }
    }
  }

  /** Returns a quote of this market with what is left of its sizes. */
  left(quote: Quote): Quote {
    if (this.#left?.of === quote) return this.#left.quote;
    const bids = leftOf(quote.bids, this.#taken.bid);
    const asks = leftOf(quote.asks, this.#taken.ask);
    const left = bids === quote.bids && asks === quote.asks ? quote : { ...quote, bids, asks };
    this.#left = { of: quote, quote: left };
    return left;
  }
}

/**
 * Returns the fire of an order whose watch a quote meets. A trailing order fires only on a quote after that of its activation:
 * here with a reference, which it has had before.
 */
function firedBy(
  orderId: number,
  watch: Watch,
  { quote, reference }: Readonly<{ quote: Quote; reference: Price | undefined }>,
): Fired | undefined {
  const observed = quote[watch.side];
  if (watch.kind === "trail" && reference !== undefined) {
    const { side, distance } = watch;
    const level = trailingLevel({ side, reference, distance });
    const direction = side === "ask" ? "atOrAbove" : "atOrBelow";
    return meets({ direction, level }, observed) ? { orderId, observed, level, reference } : undefined;
  }
  if (watch.kind === "every") return { orderId, observed };
  if (watch.kind !== "level" || !meets(watch.condition, observed)) return undefined;
  return { orderId, observed, level: watch.condition.level };
}

/** Takes quantities from levels, best first: a child from those inside its limit. A level without a size has any quantity. */
function leftOf(levels: readonly Level[], { executed, inFlight }: Taken): readonly Level[] {
  const isUntaken = executed === ZERO_QUANTITY && inFlight.size === 0;
  if (isUntaken || levels.every(({ size }) => size === undefined)) return levels;
  const left = [...levels];
  take(left, { quantity: executed, inside: undefined });
  for (const child of inFlight.values()) {
    if (left.every(({ size }) => size === undefined || size <= 0)) break;
    take(left, child);
  }
  return left;
}

function take(left: Level[], { quantity, inside }: InFlight): void {
  let open = quantity;
  for (const [index, level] of left.entries()) {
    if (open <= 0 || (inside !== undefined && !meets(inside, level.price))) return;
    if (level.size === undefined) continue;
    const part = min(level.size, open);
    open = subtract(open, part);
    left[index] = { ...level, size: subtract(level.size, part) };
  }
}

/** How long a symbol is not asked for after the host could not tell. */
const PAUSE_MS = 1_000;

/** Symbols of which that is remembered. */
const MOST_FAILED = 1_000;

/**
 * Which instruments the host has now, for symbols without a market and for those without quotes. After a failure a symbol is
 * asked for again a second later: a source may quote it thousands of times a second, and the operator is told of each failure.
 */
export class ListedInstruments {
  readonly #core: Pick<Core, "monotonicMs">;
  readonly #instruments: Pick<Instruments, "find">;
  /** By symbol, when it is asked for again. */
  readonly #pausedUntilMs: Map<string, number> = new Map();

  constructor(core: Pick<Core, "monotonicMs">, instruments: Pick<Instruments, "find">) {
    this.#core = core;
    this.#instruments = instruments;
  }

  /** Returns whether the host has an instrument. If it cannot tell, the answer is no. */
  has(symbol: string): boolean {
    return this.#isListed(symbol) === true;
  }

  /** Returns whether the host is known to have an instrument no more. If it cannot tell, the answer is no. */
  hasWithdrawn(symbol: string): boolean {
    return this.#isListed(symbol) === false;
  }

  /** Returns whether the host has an instrument; undefined if it cannot tell, or could not a moment ago. */
  #isListed(symbol: string): boolean | undefined {
    const untilMs = this.#pausedUntilMs.get(symbol);
    if (untilMs !== undefined && this.#core.monotonicMs() < untilMs) return undefined;
    try {
      const isListed = this.#instruments.find(symbol) !== undefined;
      this.#pausedUntilMs.delete(symbol);
      return isListed;
    } catch {
      if (this.#pausedUntilMs.size >= MOST_FAILED) this.#pausedUntilMs.clear();
      this.#pausedUntilMs.set(symbol, this.#core.monotonicMs() + PAUSE_MS);
      return undefined;
    }
  }
}
