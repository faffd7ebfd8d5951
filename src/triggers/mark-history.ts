import type { Price } from "../decimal/index.ts";
import type { MarketMark, MarketSide } from "../model/index.ts";
import { MarkTrack } from "./mark-track.ts";

/** Identifies one side of one instrument's market. */
export interface MarketOf {
  readonly symbol: string;
  readonly side: MarketSide;
}

/** Identifies the marks of one shard on one side of one instrument's market. */
export interface MarksOf extends MarketOf {
  readonly shard: number;
}

/** The marks of one side of one market. */
type Market = { newest: MarketMark; lastPosition: number; readonly tracks: Map<number, MarkTrack> };

/**
 * The durable marks of all shards and instruments. Trailing references are read from them. The host adds a mark when it
 * is durable (decision 18; architecture, Trailing references are facts).
 *
 *
 * @example
 * ```ts
 * import { Price } from "managed-orders";
 * import { MarkHistory } from "managed-orders/rules";
 * const history = new MarkHistory();
 * const market = { shard: 7, symbol: "BTC/USD", side: "bid" } as const;
 * history.add({ ...market, position: 1, price: Price.parse("105"), timeMs: 1 });
 * history.add({ ...market, position: 2, price: Price.parse("100"), timeMs: 2 });
 * console.log(Price.format(history.referenceFrom({ ...market, position: 1 }) ?? Price.parse("1"))); // 105
 * ```
 */
export class MarkHistory {
  readonly #markets: Readonly<Record<MarketSide, Map<string, Market>>> = { ask: new Map(), bid: new Map() };

  /** Adds a mark. Marks may come in any order; one with the position of a known mark of its shard replaces it. */
  add(mark: MarketMark): void {
    const { shard, side, position } = mark;
    const market = this.#marketOf(mark);
    if (mark.timeMs > market.newest.timeMs) market.newest = mark;
    market.lastPosition = Math.max(market.lastPosition, position);
    let track = market.tracks.get(shard);
    if (track === undefined) {
      track = new MarkTrack(side);
      market.tracks.set(shard, track);
    }
    track.add(mark);
  }

  /** Forgets all marks of a shard: another process makes them from now on. Positions are not used again. */
  forget(shard: number): void {
    for (const markets of Object.values(this.#markets))
      for (const { tracks } of markets.values()) tracks.delete(shard);
  }

  #marketOf(mark: MarketMark): Market {
    const markets = this.#markets[mark.side];
    let market = markets.get(mark.symbol);
    if (market === undefined) {
      market = { newest: mark, lastPosition: mark.position, tracks: new Map() };
      markets.set(mark.symbol, market);
    }
    return market;
  }

  /**
   * Returns the reference of a trailing order of the shard that became active at `position`; `undefined` without a mark
   * from there on.
   */
  referenceFrom({
    shard,
    symbol,
    side,
    position,
  }: MarksOf & Readonly<{ position: number }>): Price | undefined {
    return this.#markets[side].get(symbol)?.tracks.get(shard)?.referenceFrom(position);
  }

  /** Returns the mark with the latest time; `undefined` before the first mark. */
  newest({ symbol, side }: MarketOf): MarketMark | undefined {
    return this.#markets[side].get(symbol)?.newest;
  }

  /** Returns each side of a market that has had a mark. */
  markets(): readonly MarketOf[] {
    const sides = ["ask", "bid"] as const;
    return sides.flatMap((side) => [...this.#markets[side].keys()].map((symbol) => ({ symbol, side })));
  }

  /** Returns the highest position that was added; `undefined` before the first mark. */
  lastPosition({ symbol, side }: MarketOf): number | undefined {
    return this.#markets[side].get(symbol)?.lastPosition;
  }

  /** Returns the highest position of the marks of a shard; `undefined` when it has none. */
  lastPositionOf({ shard, symbol, side }: MarksOf): number | undefined {
    return this.#markets[side].get(symbol)?.tracks.get(shard)?.lastPosition;
  }

  /** Returns the shards that have marks on a side of a market. */
  shardsOf({ symbol, side }: MarketOf): readonly number[] {
    return [...(this.#markets[side].get(symbol)?.tracks.keys() ?? [])];
  }

  /**
   * Removes and returns, by position, the marks of a shard that no order of it needs which is active since
   * `oldestPosition` or later. An omitted `oldestPosition` means that no order is active. A mark with the highest
   * position of the market always stays, so that no position is assigned twice. With `limit` it removes at most that
   * many, and the next call continues.
   */
  obsolete({
    shard,
    symbol,
    side,
    oldestPosition,
    limit,
  }: MarksOf & Readonly<{ oldestPosition: number | undefined; limit?: number }>): readonly MarketMark[] {
    const market = this.#markets[side].get(symbol);
    if (market === undefined) return [];
    const { lastPosition, tracks } = market;
    const needed = Math.min(oldestPosition ?? lastPosition, lastPosition);
    return tracks.get(shard)?.obsolete(needed, limit) ?? [];
  }
}
