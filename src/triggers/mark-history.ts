import type { Price } from "../decimal/index.ts";
import type { MarketMark, MarketSide } from "../model/index.ts";
import { MarkTrack } from "./mark-track.ts";

/** Identifies one side of one instrument's market. */
export interface MarketOf {
  readonly symbol: string;
  readonly side: MarketSide;
}

/**
 * The durable marks of the market journal for all instruments. Trailing references are read from them. The host adds
 * a mark when it is durable (decision 18; architecture, Trailing references are facts).
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { MarkHistory } from "managed-orders/rules";
 * const history = new MarkHistory();
 * const market = { symbol: "BTC/USD", side: "bid" } as const;
 * history.add({ ...market, position: 1, price: Price.parse("105"), timeMs: 1 });
 * history.add({ ...market, position: 2, price: Price.parse("100"), timeMs: 2 });
 * console.log(Price.format(history.referenceFrom({ ...market, position: 1 }) ?? Price.parse("1"))); // 105
 * ```
 */
export class MarkHistory {
  readonly #tracks: Readonly<Record<MarketSide, Map<string, MarkTrack>>> = { ask: new Map(), bid: new Map() };

  /** Adds a mark. Marks may come in any order; one with the position of a known mark replaces it. */
  add(mark: MarketMark): void {
    const tracks = this.#tracks[mark.side];
    let track = tracks.get(mark.symbol);
    if (track === undefined) {
      track = new MarkTrack(mark.side);
      tracks.set(mark.symbol, track);
    }
    track.add(mark);
  }

  /**
   * Returns the reference of a trailing order that became active at `position`; `undefined` without a mark from there
   * on.
   */
  referenceFrom({ symbol, side, position }: MarketOf & Readonly<{ position: number }>): Price | undefined {
    return this.#tracks[side].get(symbol)?.referenceFrom(position);
  }

  /** Returns the mark of the highest position; `undefined` before the first mark. */
  newest({ symbol, side }: MarketOf): MarketMark | undefined {
    return this.#tracks[side].get(symbol)?.last;
  }

  /** Returns the highest position; `undefined` before the first mark. */
  lastPosition(market: MarketOf): number | undefined {
    return this.newest(market)?.position;
  }

  /**
   * Removes and returns, by position, the marks that no order active since `oldestPosition` or later can need. An
   * omitted `oldestPosition` means that no order is active. The newest mark always stays, so that no position is
   * assigned twice. With `limit` it removes at most that many, and the next call continues.
   */
  obsolete({
    symbol,
    side,
    oldestPosition,
    limit,
  }: MarketOf & Readonly<{ oldestPosition: number | undefined; limit?: number }>): readonly MarketMark[] {
    return this.#tracks[side].get(symbol)?.obsolete(oldestPosition, limit) ?? [];
  }
}
