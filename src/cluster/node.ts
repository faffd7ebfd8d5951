import { errorMessage } from "../common/index.ts";
import type { AtRest, Engine, EngineOptions, Verification } from "../engine/index.ts";
import {
  type Core,
  checkedOptions,
  coreOf,
  type EngineParts,
  engineParts,
  marketIn,
  QuoteMemory,
  RunningEngine,
  timely,
  verify,
} from "../engine/internal.ts";
import { checkedLeases, harmless } from "../host-answers/index.ts";
import { readChildId } from "../lifecycle/index.ts";
import { SHARD_COUNT, shardOfId } from "../model/index.ts";
import type { NodeEntry, ShardHead, ShardLeases } from "../ports/index.ts";
import { readableJournal } from "../wire/index.ts";
import { ShardHolders } from "./cluster-views.ts";
import { FollowedJournal, FollowedMarket } from "./followed.ts";
import { VenueBuffer, WaitingMarket } from "./heard.ts";
import { LeaseKeeper } from "./lease.ts";
import {
  type ClusterNode,
  type ClusterNodeState,
  type ClusterNodeStatus,
  type ClusterOptions,
  clusterOf,
  leasesOf,
  type NodeOptions,
  nodeOptions,
  type ShardHolder,
} from "./node-api.ts";
import { NodeLease } from "./node-lease.ts";
import { NodeWatch } from "./node-watch.ts";
import { OwnedShards, ShardClaims } from "./owned-shards.ts";
import { ShardMoves } from "./shard-moves.ts";
import { ShareLoop } from "./share-loop.ts";

type Reporting = Pick<Core, "telemetry">;

/**
 * Ends the part in the cluster of a node that runs no engine, and closes its store. Waits for neither longer than for any answer
 * of a host, and never rejects: why the node ends is what its caller is told.
 */
async function leaveCluster(
  { store, questions, telemetry }: Pick<Core, "store" | "questions"> & Reporting,
  leases: Pick<ShardLeases, "leave">,
  incarnation: number,
): Promise<void> {
  await attempt({ telemetry }, "lease.unreleased", () => leases.leave(incarnation));
  await closeQuietly({ telemetry }, () => questions.inTime(async () => await store.close()));
}

/** Closes a store, and tells the operator if that fails. Never rejects. */
async function closeQuietly(core: Reporting, close: () => Promise<void>): Promise<void> {
  await attempt(core, "store.unclosed", close);
}

async function attempt({ telemetry }: Reporting, failed: string, call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    telemetry.event("warn", failed, { message: errorMessage(error) });
  }
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Heads of an engine that runs no shard yet. */
const NO_HEADS: readonly ShardHead[] = Array.from({ length: SHARD_COUNT }, (_, shard) => ({
  shard,
  epoch: -1,
  sequence: 0,
}));

/** What a node is made of. */
type NodeParts = Readonly<{
  core: Core;
  options: EngineOptions;
  leases: ShardLeases;
  cluster: Required<ClusterOptions>;
}>;

/** A node whose engine runs its share of the shards. */
class SharingNode implements ClusterNode {
  readonly engine: Engine;
  readonly #parts: NodeParts;
  readonly #engineParts: EngineParts;
  readonly #keeper: LeaseKeeper;
  readonly #entry: NodeEntry;
  readonly #holders: ShardHolders;
  readonly #journal: FollowedJournal;
  readonly #owned: OwnedShards;
  readonly #loop: ShareLoop;
  readonly #lease: NodeLease;
  readonly #start: (market: WaitingMarket) => Promise<void>;
  readonly #listeners: Set<(status: ClusterNodeStatus) => void> = new Set();
  #reported = "";

  constructor(parts: NodeParts, made: MadeNode) {
    const { core, leases } = parts;
    const { keeper, entry, watch, journal, prints, venue, engine, owned } = made;
    this.#parts = parts;
    this.#engineParts = engine;
    this.#keeper = keeper;
    this.#entry = entry;
    this.#journal = journal;
    this.#owned = owned;
    this.#holders = new ShardHolders(core, leases);
    const { shards, board } = engine;
    this.#loop = new ShareLoop(core, {
      ...{ leases, entry, keeper, watch, journal, prints, venue, owned, shards, board },
      holders: this.#holders,
      changed: () => this.#notify(),
    });
    this.#lease = new NodeLease(core, {
      ...{ leases, keeper, ttlMs: entry.ttlMs },
      giveAll: (wanted) => this.#loop.giveAll(wanted),
      progress: () => this.#loop.progress,
      isIdle: () => owned.isIdle,
      stop: () => void this.#loop.stop(),
      changed: () => this.#notify(),
    });
    const running = new RunningEngine(engine, this.#lease);
    this.engine = running;
    this.#start = async (market) => {
      await running.start({
        load: (shard) => {
          shard.startElsewhere();
          const { lastMs } = journal.shards[shard.number]?.followed ?? {};
          if (lastMs !== undefined) core.time.startFrom(lastMs);
        },
        venue: (listener) => venue.passOn(listener, (childId) => this.#accepts(childId)),
        subscribe: () => {
          market.passOn(engine.market);
          return made.unsubscribe;
        },
      });
      this.#lease.show(engine);
    };
  }

  /** Starts the engine without a shard, and begins to take part. */
  async start(market: WaitingMarket): Promise<void> {
    await this.#start(market);
    this.#loop.begin();
  }

  status(): ClusterNodeStatus {
    return {
      state: this.#state,
      incarnation: this.#keeper.incarnation,
      shards: this.#isClosed ? 0 : this.#parts.core.counters.shards,
      keepsMarket: !this.#isClosed && !this.#keeper.isLost && this.#owned.runsMarket,
      reasons: this.#isClosed ? [] : [...this.#loop.reasons, ...this.#unreadable],
    };
  }

  get #unreadable(): readonly string[] {
    const { broken } = this.#journal;
    const [first] = broken;
    if (first === undefined) return [];
    const [shard, why] = first;
    return [`it takes none of ${broken.size} shards that it cannot read, such as ${shard}: ${why}`];
  }

  onStatus(listener: (status: ClusterNodeStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ownerOf(shard?: number): ShardHolder | undefined {
    const own = { incarnation: this.#keeper.incarnation, address: this.#entry.address, isSelf: true };
    const holder = this.#holders.at(shard);
    if (shard === undefined) return holder?.isSelf === true && !this.#runsAll ? undefined : holder;
    if (this.#engineParts.shards.at(shard).isOwned) return own;
    return holder?.isSelf === true ? undefined : holder;
  }

  async readOwners(): Promise<void> {
    await this.#holders.read(() => this.#keeper.incarnation);
  }

  async verify(): Promise<Verification> {
    const { core } = this.#parts;
    const { shards, housekeeping } = this.#engineParts;
    // Other nodes delete rows while this reads them: leave out those that are due within the hour.
    const cutoffMs = core.time.deletedByMs() - core.settings.retentionDays * DAY_MS + HOUR_MS;
    const all = () =>
      shards.all.map((shard) =>
        shard.state === "elsewhere" ? (this.#journal.shards[shard.number] ?? shard) : shard,
      );
    return await housekeeping.whileRetained(() => verify(core, all, cutoffMs));
  }

  leave(): Promise<AtRest> {
    return this.engine.handOver();
  }

  close(): Promise<AtRest> {
    return this.engine.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #isClosed(): boolean {
    return this.#lease.hasEnded;
  }

  /** Whether another node has declared this one dead, which ran shards. */
  get #isLost(): boolean {
    return this.#keeper.isLost && this.#parts.core.trust.isOver;
  }

  get #runsAll(): boolean {
    return this.#engineParts.shards.all.every(({ isOwned }) => isOwned);
  }

  get #state(): ClusterNodeState {
    if (this.#isClosed) return "closed";
    return this.#isLost ? "lost" : this.#loop.state;
  }

  /** Returns whether the engine hears the events of a child: of its own shards, and with the market journal of none. */
  #accepts(childId: string): boolean {
    const named = readChildId(childId);
    if (named === undefined) return this.#owned.runsMarket;
    return this.#engineParts.shards.at(shardOfId(named.orderId)).isOwned;
  }

  #notify(): void {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text === this.#reported) return;
    this.#reported = text;
    const { reporterOf: told } = this.#parts.core;
    for (const listener of [...this.#listeners]) harmless(() => listener(status), told("listener.failed"));
  }
}

/** The parts of a node that exist before its engine starts. */
type MadeNode = Readonly<{
  keeper: LeaseKeeper;
  entry: NodeEntry;
  watch: NodeWatch;
  journal: FollowedJournal;
  prints: FollowedMarket;
  venue: VenueBuffer;
  engine: EngineParts;
  owned: OwnedShards;
  unsubscribe: () => void;
}>;

/** What a node hears from the time at which it has joined, also while its opening may still fail. */
type Subscriptions = { readonly venue: VenueBuffer; readonly market: WaitingMarket; unsubscribe: () => void };

/** Listens, loads what the others have, and makes an engine that runs no shard yet. */
async function made(
  { core, options, leases, cluster }: NodeParts,
  subscriptions: Subscriptions,
  keeper: LeaseKeeper,
  entry: NodeEntry,
): Promise<MadeNode> {
  const { venue, market } = subscriptions;
  const incarnation = (): number => keeper.incarnation;
  const state: { engine?: EngineParts } = {};
  const journal = new FollowedJournal(core, leases, {
    observe: (record) => venue.observe(record),
    missed: () => state.engine?.endedNames.again(),
    isFollowed: (shard) => (state.engine?.shards.at(shard).state ?? "elsewhere") === "elsewhere",
  });
  venue.begin(options.venue);
  subscriptions.unsubscribe = options.marketData?.subscribe(market) ?? subscriptions.unsubscribe;
  const { unsubscribe } = subscriptions;
  await journal.load();
  const store = timely(core);
  const stored = await marketIn(store);
  // Orders of any node may watch a market, so the last quotes of all are kept.
  const memory = new QuoteMemory({ watchesAll: true });
  const ahead = { gates: market.gates, memory };
  const engine = engineParts(core, options, { heads: NO_HEADS, market: { ...stored, marks: [], ahead } });
  engine.market.stopWriting();
  state.engine = engine;
  core.counters.shards = 0;
  const watch = new NodeWatch(core, { leases, ttlMs: cluster.ttlMs, incarnation });
  const prints = new FollowedMarket(core, { leases, market: engine.market, after: stored.volume.upTo });
  const moves = new ShardMoves(core, engine);
  const owned = new OwnedShards(core, {
    ...{ store, moves, journal, venue, prints },
    claims: new ShardClaims({ leases, incarnation }),
    isLost: () => keeper.isLost,
    ...{ shards: engine.shards, market: engine.market },
  });
  return { keeper, entry, watch, journal, prints, venue, engine, owned, unsubscribe };
}

/**
 * Opens a node of a cluster on a store with leases. Its engine runs from the beginning. The node takes its part of the
 * shards that nobody owns, takes over shards of nodes that fail, and gives shards to nodes that join, until all have about
 * the same number. A standby takes none while another node lives that is none. Resolves when it follows the journal and its
 * engine runs. Rejects when the store cannot be read or holds data of a newer version, and with a TypeError or RangeError
 * that names an option that is missing, unknown, of the wrong type or out of range, or a store without leases. It closes
 * the store then, unless an option is wrong.
 *
 * @example
 * ```ts
 * import { openNode, type NodeOptions } from "managed-orders/cluster";
 * import { type Engine } from "managed-orders/engine";
 * const join = async (options: NodeOptions): Promise<Engine> => {
 *   const node = await openNode(options);
 *   node.onStatus(({ state, shards, reasons }) => console.log(state, shards, reasons.join("; ")));
 *   return node.engine;
 * };
 * ```
 */
export async function openNode(given: NodeOptions): Promise<ClusterNode> {
  nodeOptions(given, "openNode");
  const cluster = clusterOf(given.cluster, "openNode");
  const leases = leasesOf(given.store, "openNode");
  const core = coreOf(given, cluster);
  const checked = checkedLeases(leases, core.questions);
  const parts: NodeParts = { core, cluster, options: checkedOptions(core, given), leases: checked };
  const { name, address, version, ttlMs, clockApartMs, standby } = cluster;
  const entry: NodeEntry = { name, address, version, ttlMs, shares: !standby, ...readableJournal() };
  const market = new WaitingMarket(core, parts.options.instruments, ttlMs);
  const subscriptions: Subscriptions = {
    venue: new VenueBuffer(core, ttlMs),
    market,
    unsubscribe: () => undefined,
  };
  const state: { made?: MadeNode } = {};
  const keeper = new LeaseKeeper(core, {
    ...{ leases: checked, entry, ttlMs, clockApartMs },
    followed: () => state.made?.journal.followed ?? 0,
  });
  try {
    await keeper.join();
    state.made = await made(parts, subscriptions, keeper, entry);
    const node = new SharingNode(parts, state.made);
    await node.start(market);
    return node;
  } catch (error) {
    await abandon(parts, keeper, subscriptions);
    throw error;
  }
}

/** Undoes an opening that failed. */
async function abandon(
  { core, leases }: NodeParts,
  keeper: LeaseKeeper,
  { venue, unsubscribe }: Subscriptions,
): Promise<void> {
  keeper.stop();
  harmless(() => venue.stop(), core.reporterOf("unsubscribe.failed"));
  harmless(() => unsubscribe(), core.reporterOf("unsubscribe.failed"));
  await leaveCluster(core, leases, keeper.incarnation);
}
