import {
  createMemoryInstruments,
  createMemoryStore,
  type MemoryDisk,
} from "../../src/adapters/memory/index.ts";
import { FollowedMarket } from "../../src/cluster/followed.ts";
import { type Core, coreOf } from "../../src/engine/core/core.ts";
import type { EngineEffect } from "../../src/engine/core/effects.ts";
import { EventStream } from "../../src/engine/core/event-stream.ts";
import type { EngineSettings } from "../../src/engine/index.ts";
import { MarketHub } from "../../src/engine/market/market-hub.ts";
import { CommitQueue } from "../../src/engine/shards/commit-queue.ts";
import { Bursts } from "../../src/engine/time/bursts.ts";
import { Timers } from "../../src/engine/time/timers.ts";
import { checkedLeases } from "../../src/host-answers/index.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import type { Clock, OrderStore, ShardLeases } from "../../src/ports/index.ts";
import { INSTRUMENTS } from "./world.ts";

/** An append that has not ended. `stored` reaches the store first if it did not; `lost` is a failure, whether it did or not. */
export type AppendUnderWay = Readonly<{
  reach: () => Promise<void>;
  end: (how: "kept" | "lost") => Promise<void>;
}>;

/** The market of one node of a cluster, on a disk that the others share. */
export type MarketNode = {
  readonly core: Core;
  readonly disk: MemoryDisk;
  readonly market: MarketHub;
  readonly followed: FollowedMarket;
  readonly store: OrderStore;
  readonly leases: ShardLeases;
  readonly incarnation: number;
  readonly effects: EngineEffect[];
  /** Names of the messages to the operator. */
  readonly reported: string[];
  /** Follows other leases than those of the store. */
  followedOn(leases: Pick<ShardLeases, "prints">): FollowedMarket;
  /** Claims the market journal, follows, and writes. False if another live node has it. */
  takeOver(): Promise<boolean>;
  /** Writes no more, and gives the market journal away. */
  release(): Promise<void>;
  /** Begins an append. */
  beginAppend(): AppendUnderWay;
  /** Appends what there is. */
  append(): Promise<void>;
};

/** Opens the market of a node, which does not write. */
export async function openMarketNode(
  disk: MemoryDisk,
  clock: Clock,
  settings: Partial<EngineSettings> = {},
): Promise<MarketNode> {
  const reported: string[] = [];
  const effects: EngineEffect[] = [];
  const store = createMemoryStore({ disk, clock });
  const core = coreOf({
    ...{ clock, store, settings },
    telemetry: { event: (_level: string, name: string) => void reported.push(name) },
  } as never);
  core.effects.connect({ run: (effect) => void effects.push(effect) });
  if (store.leases === undefined) throw new Error("the store has no leases");
  const leases = checkedLeases(store.leases, core.questions);
  const volume = await store.readVolume();
  const market = new MarketHub(
    core,
    { marks: [], quotes: [], volume },
    {
      instruments: createMemoryInstruments(INSTRUMENTS),
      timers: new Timers(core.clock, core.time, core.reporterOf("timer.failed")),
      bursts: new Bursts(core, new CommitQueue()),
      stream: new EventStream(core),
    },
  );
  market.stopWriting();
  const followed = new FollowedMarket(core, { leases, market, after: volume.upTo });
  const entry = { name: "", address: "", version: "", format: 1, kinds: [], ttlMs: 10_000 };
  const { incarnation } = await leases.join({ ...entry, name: "node" });
  const node: MarketNode = {
    ...{ core, disk, market, followed, store, leases, incarnation, effects, reported },
    followedOn: (other) => new FollowedMarket(core, { leases: other, market, after: volume.upTo }),
    async takeOver() {
      if ((await leases.claim({ incarnation, shards: [MARKET_SHARD] })) === undefined) return false;
      await followed.follow();
      market.startWriting();
      return true;
    },
    async release() {
      market.stopWriting();
      await leases.release({ incarnation, shards: [MARKET_SHARD] });
    },
    beginAppend() {
      const { prints } = market.takeFacts({ onlyDue: false });
      const quotes = market.quotesToStore([]);
      let reached: Promise<unknown> | undefined;
      const reach = async (): Promise<void> => {
        reached ??= prints.length > 0 ? store.append({ shards: [], prints }) : Promise.resolve();
        await reached;
      };
      return {
        // What an earlier owner sends is refused, and it does not know that.
        reach: () => reach().catch(() => undefined),
        async end(how) {
          try {
            if (how === "lost") throw new Error("the store does not answer");
            await reach();
            market.stored({ marks: [], prints, quotes });
          } catch {
            market.notStored(prints);
          }
        },
      };
    },
    append: async () => await node.beginAppend().end("kept"),
  };
  return node;
}

/** The stored volume and that of a node, in comparable form: totals, bars and price bars. */
export function volumeOf({ market }: MarketNode, symbol: string): unknown {
  const all = { symbol, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  return {
    total: market.tape.total(symbol),
    bars: market.tape.minutes(all),
    priceBars: ([60_000, 300_000, 3_600_000, 86_400_000] as const).flatMap(
      (lengthMs) => market.prints.bars({ ...all, lengthMs }) ?? [],
    ),
  };
}

/** What a store has of a market, in the form of {@link volumeOf}. */
export async function storedVolume(store: OrderStore, symbol: string): Promise<unknown> {
  const { totals, bars, priceBars = [] } = await store.readVolume();
  const own = <T extends Readonly<{ symbol: string }>>(all: readonly T[]): readonly T[] =>
    all.filter((one) => one.symbol === symbol);
  return { total: own(totals)[0]?.total ?? 0, bars: own(bars), priceBars: own(priceBars) };
}
