import { type Activation, type MarketMark, shardOfId } from "../../model/index.ts";
import { executableSide, type MarketOf } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { ShardMemory } from "../shards/shard-memory.ts";
import type { Shards } from "../shards/shards.ts";

/** Dependencies of {@link ObsoleteMarks}. */
export type MarkParts = Readonly<{ shards: Shards; market: MarketHub }>;

/** A side of a market, and its highest durable position when the search began. */
type Market = MarketOf & Readonly<{ lastPosition: number }>;

/** By side of a market and by shard, the position of the oldest activation. */
type Oldest = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The parents of all shards when the search began, by shard. A shard that is read again, leaves or comes has others. */
type Memories = readonly ShardMemory[];

/**
 * Finds the marks that no trailing parent rests on any more. A parent that becomes active during the search rests on the
 * newest durable mark at its beginning, or on a later one.
 */
export class ObsoleteMarks {
  readonly #core: Core;
  readonly #parts: MarkParts;

  constructor(core: Core, parts: MarkParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Returns the marks of the shards that run, at most `most` at a time, and forgets them. It ends when a shard is read again,
   * leaves or comes: a shard that comes has activations that the search does not know, at lower positions than others.
   */
  async *inBatchesOf(most: number): AsyncGenerator<readonly MarketMark[]> {
    const markets = this.#markets();
    const memories = this.#parts.shards.all.map((shard) => shard.memory);
    const oldest = await this.#oldestActivations(memories);
    if (oldest === undefined) return;
    let batch: MarketMark[] = [];
    for (const market of markets) {
      for (const mark of this.#obsoleteIn(market, { oldest, limit: most, memories })) {
        batch.push(mark);
        if (batch.length < most) continue;
        yield batch;
        batch = [];
        await this.#core.turns.next();
      }
    }
    if (batch.length > 0) yield batch;
  }

  *#obsoleteIn(
    { symbol, side, lastPosition }: Market,
    { oldest, limit, memories }: Readonly<{ oldest: Oldest; limit: number; memories: Memories }>,
  ): Generator<MarketMark> {
    const { shards, market } = this.#parts;
    if (!this.#areSame(memories)) return;
    const activations = oldest.get(keyOf({ symbol, side }));
    let beforePosition = lastPosition;
    for (const position of activations?.values() ?? []) beforePosition = Math.min(beforePosition, position);
    market.book(symbol)?.forgetMarks({ side, beforePosition });
    for (const shard of market.history.shardsOf({ symbol, side })) {
      const { state, memory } = shards.at(shard);
      if (state !== "running" || memory !== memories[shard]) continue;
      const oldestPosition = Math.min(activations?.get(shard) ?? lastPosition, lastPosition);
      const range = { shard, symbol, side, oldestPosition, limit };
      const next = (): readonly MarketMark[] => market.history.obsolete(range);
      for (let marks = next(); marks.length > 0; marks = next()) {
        yield* marks;
        // The store has deleted a batch meanwhile, and the shard may have left and come back with other activations.
        if (!this.#areSame(memories)) return;
      }
    }
  }

  #markets(): readonly Market[] {
    const { history } = this.#parts.market;
    // Also those whose instrument the host has withdrawn since.
    return history.markets().flatMap((of) => {
      const lastPosition = history.lastPosition(of);
      return lastPosition === undefined ? [] : [{ ...of, lastPosition }];
    });
  }

  /** Whether every shard goes on with the parents that it had when the search began. */
  #areSame(memories: Memories): boolean {
    const { all } = this.#parts.shards;
    return all.every((shard, index) => shard.state !== "reloading" && shard.memory === memories[index]);
  }

  /**
   * Returns the oldest activations of parents without a durable trigger; a trigger record under way can still be lost.
   * Returns undefined when a shard was or is being read again: its mailbox may hold an activation whose mark must stay.
   */
  async #oldestActivations(memories: Memories): Promise<Oldest | undefined> {
    if (!this.#areSame(memories)) return undefined;
    const oldest = new Map<string, Map<number, number>>();
    for (const { memory, activating } of this.#parts.shards.all) {
      for (const live of memory.liveOrders.values()) {
        noteActivation(live, activating.get(live.working.orderId), oldest);
        const turn = this.#core.turns.spend(COSTS.visit);
        if (turn !== undefined) await turn;
      }
    }
    return this.#areSame(memories) ? oldest : undefined;
  }
}

/** Notes the activation of a parent. `waiting` is one that waits in the mailbox, as it does while trust has lapsed. */
function noteActivation(
  { working, durable }: LiveOrder,
  waiting: Activation | undefined,
  oldest: Map<string, Map<number, number>>,
): void {
  const position = (working.activation ?? waiting)?.position;
  if (position === undefined || durable?.trigger !== undefined || durable?.ended !== undefined) return;
  const { orderId, intent } = working;
  const { symbol, side } = intent;
  const key = keyOf({ symbol, side: executableSide(side) });
  const ofMarket = oldest.get(key) ?? new Map<number, number>();
  oldest.set(key, ofMarket);
  const shard = shardOfId(orderId);
  ofMarket.set(shard, Math.min(position, ofMarket.get(shard) ?? position));
}

const keyOf = ({ symbol, side }: MarketOf): string => `${symbol} ${side}`;
