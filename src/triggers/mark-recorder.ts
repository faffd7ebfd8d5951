import type { Price } from "../decimal/index.ts";
import { InvariantError } from "../errors/index.ts";
import type { Activation, MarketMark } from "../model/index.ts";
import { knownExtreme } from "./extreme.ts";
import type { MarketOf, MarkHistory } from "./mark-history.ts";
import { MarkTrack } from "./mark-track.ts";

/** Position and price of the newest mark; position 0 before the first. */
type LastMark = Readonly<{ position: number; price: Price | undefined }>;

/**
 * Writes the marks of one instrument and side. Between two calls of {@link take} a moving reference rewrites one
 * mark, until a watcher becomes active on it: then its price is a seed and must stay.
 */
export class MarkRecorder {
  readonly #market: MarketOf;
  readonly #history: MarkHistory;
  /** Undefined until the first mark is made: the history may be filled until then. */
  #last: LastMark | undefined;
  /** Whether the newest mark is neither taken nor a seed. */
  #rewritable = false;
  #untaken: MarketMark[] = [];
  /** Marks that were taken and are not known to be in the history. */
  readonly #taken: MarkTrack;

  constructor(market: MarketOf, history: MarkHistory) {
    this.#market = market;
    this.#history = history;
    this.#taken = new MarkTrack(market.side);
  }

  /** Records that a reference moved to this price. */
  move(price: Price, timeMs: number): void {
    if (this.#rewritable) this.#untaken.pop();
    const { position } = this.#lastMark();
    this.#write({ position: this.#rewritable ? position : position + 1, price }, timeMs);
    this.#rewritable = true;
  }

  /** Returns the position of the mark that seeds the watchers which become active at this price. */
  seed(price: Price, timeMs: number): number {
    const last = this.#lastMark();
    const position = price === last.price ? last.position : last.position + 1;
    if (position > last.position) this.#write({ position, price }, timeMs);
    this.#rewritable = false;
    return position;
  }

  /** Whether there are marks since the last take. */
  get hasUntaken(): boolean {
    return this.#untaken.length > 0;
  }

  /** Returns the marks since the last call. They are not rewritten any more. */
  take(): readonly MarketMark[] {
    const marks = this.#untaken;
    if (marks.length === 0) return [];
    for (const mark of marks) this.#taken.add(mark);
    this.#taken.obsolete((this.#history.lastPosition(this.#market) ?? 0) + 1);
    this.#untaken = [];
    this.#rewritable = false;
    return marks;
  }

  /**
   * Returns the reference of a watcher that became active earlier: the extreme of all marks from its activation on,
   * durable or not. Throws an InvariantError (I31) when the marks do not contain its seed.
   */
  referenceSince(activation: Activation): Price {
    const reference = this.knownSince(activation);
    if (reference !== undefined) return reference;
    throw new InvariantError(
      "I31",
      `no mark at or after position ${activation.position} holds the seed of a trailing order`,
    );
  }

  /** Like {@link referenceSince}; returns `undefined` when the marks do not contain the seed. */
  knownSince({ position, seed }: Activation): Price | undefined {
    const { symbol, side } = this.#market;
    let reference = this.#history.referenceFrom({ symbol, side, position });
    reference = knownExtreme(side, [reference, this.#taken.referenceFrom(position)]);
    for (const mark of this.#untaken) {
      if (mark.position >= position) reference = knownExtreme(side, [reference, mark.price]);
    }
    return knownExtreme(side, [reference, seed]) === reference ? reference : undefined;
  }

  /** Returns the newest mark, made or in the history. */
  #lastMark(): LastMark {
    if (this.#last !== undefined) return this.#last;
    const position = this.#history.lastPosition(this.#market) ?? 0;
    this.#last = { position, price: this.#history.referenceFrom({ ...this.#market, position }) };
    return this.#last;
  }

  #write(mark: LastMark & Readonly<{ price: Price }>, timeMs: number): void {
    this.#last = mark;
    this.#untaken.push({ ...this.#market, ...mark, timeMs });
  }
}
