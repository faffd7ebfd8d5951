import type { MarketSide, Quote } from "../model/index.ts";
import { isOlder } from "./entry.ts";
import { actsBefore, type Hit } from "./firing-order.ts";
import { IncrementalSort } from "./incremental-sort.ts";
import type { SideBook } from "./side-book.ts";
import type { Activated, Progress } from "./watch.ts";

type Sides = Readonly<Record<MarketSide, SideBook>>;

/**
 * The processing of one counted quote by a trigger book, in as many slices as its host wants. It checks every
 * condition with the references from before the quote, then opens gates, then moves references, then activates
 * (decision 20).
 */
export class PriceSweep {
  readonly quote: Quote;
  readonly #sides: Sides;
  readonly #hits: IncrementalSort<Hit> = new IncrementalSort(actsBefore);
  /** Ids of orders that have left the book and are not reported yet. */
  #left: number[] = [];
  #activated: Activated[] = [];
  #hasMoved = false;

  constructor(sides: Sides, quote: Quote) {
    this.#sides = sides;
    this.quote = quote;
  }

  /** Takes at most `most` steps. Calls `left` for each order that left the book. */
  run(most: number, left: (orderId: number) => void): Progress {
    let steps = 0;
    while (steps < most && this.#step()) steps++;
    for (const orderId of this.#left) left(orderId);
    this.#left = [];
    const isOver = steps < most;
    const activated = this.#activated;
    this.#activated = [];
    const fired = isOver ? this.#hits.inOrder.map((hit) => hit.fired) : [];
    return { quote: this.quote, steps, isOver, fired, activated };
  }

  /** Opens gates and activates, and does nothing else. */
  seed(): readonly Activated[] {
    while (this.#openGate());
    while (this.#activateOne());
    return this.#activated;
  }

  /** Touches one order. Returns false when none is left and the fired ones are in order. */
  #step(): boolean {
    if (!this.#hasMoved) {
      if (this.#fireOne() || this.#openGate() || this.#mergeTwo()) return true;
      this.#move();
    }
    return this.#activateOne() || this.#hits.step();
  }

  #fireOne(): boolean {
    const { ask, bid } = this.#sides;
    const hit = ask.takeFired(this.quote.ask) ?? bid.takeFired(this.quote.bid);
    if (hit === undefined) return false;
    this.#hits.add(hit);
    this.#left.push(hit.fired.orderId);
    return true;
  }

  #openGate(): boolean {
    const { ask, bid } = this.#sides;
    return ask.openGate(this.quote.ask) || bid.openGate(this.quote.bid);
  }

  #mergeTwo(): boolean {
    const { ask, bid } = this.#sides;
    return ask.mergeTwo(this.quote.ask) || bid.mergeTwo(this.quote.bid);
  }

  #move(): void {
    const { ask, bid, timeMs } = this.quote;
    this.#sides.ask.move({ price: ask, timeMs });
    this.#sides.bid.move({ price: bid, timeMs });
    this.#hasMoved = true;
  }

  #activateOne(): boolean {
    const side = this.#sideOfOldest();
    const entry = side && this.#sides[side].activating;
    if (side === undefined || entry === undefined) return false;
    const { timeMs } = this.quote;
    const activation = this.#sides[side].activateNext({ price: this.quote[side], timeMs });
    if (activation !== undefined) this.#activated.push({ orderId: entry.orderId, activation });
    return true;
  }

  #sideOfOldest(): MarketSide | undefined {
    const [ask, bid] = [this.#sides.ask.activating, this.#sides.bid.activating];
    if (ask === undefined) return bid && "bid";
    return bid !== undefined && isOlder(bid, ask) ? "bid" : "ask";
  }
}
