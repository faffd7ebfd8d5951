import { errorMessage, Pause } from "../common/index.ts";
import { InvariantError } from "../errors/index.ts";
import { checkedLeases, harmless } from "../host-answers/index.ts";
import type { ClusterView, NodeEntry, ShardHead, ShardLeases } from "../ports/index.ts";
import { readableJournal } from "../wire/index.ts";
import { ownedBy } from "./cluster/cluster-views.ts";
import { EngineLease, HAND_OVER_PAUSE_MS } from "./cluster/engine-lease.ts";
import { FollowedBooks } from "./cluster/followed-books.ts";
import { FollowedJournal } from "./cluster/followed-journal.ts";
import { LeaseKeeper } from "./cluster/lease-keeper.ts";
import { closeQuietly, leaveCluster } from "./cluster/leave-cluster.ts";
import { objectionsTo, outdated } from "./cluster/node-agreement.ts";
import { NodeWatch } from "./cluster/node-watch.ts";
import { ShardClaims } from "./cluster/shard-claims.ts";
import { ShardHolders } from "./cluster/shard-holders.ts";
import { EVERY_SHARD, shardsIn } from "./cluster/shard-sets.ts";
import {
  type ClusterOptions,
  clusterOf,
  leasesOf,
  type ShardHolder,
  type Standby,
  type StandbyOptions,
  type StandbyState,
  type StandbyStatus,
  standbyOptions,
} from "./cluster/standby-api.ts";
import { VenueBuffer } from "./cluster/venue-buffer.ts";
import { WaitingMarket } from "./cluster/waiting-market.ts";
import type { Engine, EngineOptions, Verification } from "./core/api.ts";
import { checkedOptions } from "./core/checked-options.ts";
import { type Core, coreOf } from "./core/core.ts";
import { EngineError } from "./core/engine-error.ts";
import { timely } from "./core/stored.ts";
import { marketIn } from "./opening.ts";
import { engineParts } from "./parts.ts";
import { verify } from "./reads/verification.ts";
import { RunningEngine } from "./running-engine.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_DETAIL = 200;

/** What a standby is made of. */
type StandbyParts = Readonly<{
  core: Core;
  options: EngineOptions;
  leases: ShardLeases;
  cluster: Required<ClusterOptions>;
}>;

/** Follows the journal, watches the owner of the shards, and becomes an engine. */
class WaitingEngine implements Standby {
  readonly takenOver: Promise<Engine>;
  readonly #parts: StandbyParts;
  readonly #keeper: LeaseKeeper;
  readonly #entry: NodeEntry;
  readonly #watch: NodeWatch;
  readonly #holders: ShardHolders;
  readonly #claims: ShardClaims;
  readonly #journal: FollowedJournal;
  readonly #books: FollowedBooks;
  readonly #venue: VenueBuffer;
  readonly #market: WaitingMarket;
  readonly #listeners: Set<(status: StandbyStatus) => void> = new Set();
  #state: StandbyState = "following";
  #reported = "";
  /** Why this node should not take over from the owner of the shards. */
  #objections: readonly string[] = [];
  /** The failure of the last step. */
  #failing: string | undefined;
  /** Since when it leaves free shards to a node that could not follow it. */
  #leavingSinceMs: number | undefined;
  /** The release of lease and store; undefined before it. */
  #ending: Promise<void> | undefined;
  /** Why the journal cannot be followed, such as a fact of a newer version. */
  #unreadable: string | undefined;
  /** The engine of its takeover. */
  #engine: Engine | undefined;
  #unsubscribe: () => void = () => undefined;
  #resolve: (engine: Engine) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #pause: Pause = new Pause();

  constructor(parts: StandbyParts) {
    const { core, options, leases, cluster } = parts;
    const { name, address, version, ttlMs, clockApartMs } = cluster;
    this.#parts = parts;
    this.takenOver = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A host need not wait for it.
    this.takenOver.catch(() => undefined);
    this.#entry = { name, address, version, ttlMs, ...readableJournal() };
    this.#watch = new NodeWatch(core, { leases, ttlMs, incarnation: () => this.#keeper.incarnation });
    this.#holders = new ShardHolders(core, leases);
    this.#claims = new ShardClaims({ leases, incarnation: () => this.#keeper.incarnation });
    this.#venue = new VenueBuffer(core, ttlMs);
    this.#market = new WaitingMarket(core, options.instruments, cluster);
    this.#books = new FollowedBooks(core);
    const observe = this.#venue.observe.bind(this.#venue);
    this.#journal = new FollowedJournal(core, leases, { books: this.#books, observe });
    this.#keeper = new LeaseKeeper(core, {
      leases,
      entry: this.#entry,
      ttlMs,
      clockApartMs,
      followed: () => this.#journal.followed,
      listener: {
        lapsed: () => this.#reportState(),
        renewed: () => this.#reportState(),
        lost: () => this.#reportState(),
        clockApart: () => this.#reportState(),
        handOverWanted: () => undefined,
      },
    });
  }

  /** Joins, listens, loads every shard, and begins to follow. */
  async start(): Promise<void> {
    const { options } = this.#parts;
    try {
      await this.#keeper.join();
      this.#venue.begin(options.venue);
      this.#unsubscribe = options.marketData?.subscribe(this.#market) ?? this.#unsubscribe;
      await this.#journal.load();
    } catch (error) {
      await this.#end(error);
      throw error;
    }
    this.#running = this.#run();
  }

  status(): StandbyStatus {
    return { state: this.#state, incarnation: this.#keeper.incarnation, reasons: this.#reasons };
  }

  onStatus(listener: (status: StandbyStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ownerOf(shard?: number): ShardHolder | undefined {
    if (this.#state === "active")
      return { incarnation: this.#keeper.incarnation, address: this.#entry.address, isSelf: true };
    return this.#state === "following" || this.#state === "ready" ? this.#holders.at(shard) : undefined;
  }

  async readOwners(): Promise<void> {
    if (this.#state === "following" || this.#state === "ready")
      await this.#holders.read(() => this.#keeper.incarnation);
  }

  async verify(): Promise<Verification> {
    if (this.#engine !== undefined) return await this.#engine.verify();
    const { core } = this.#parts;
    // The active engine deletes rows while this reads them: leave out those that are due within the hour.
    const cutoffMs = core.time.deletedByMs() - core.settings.retentionDays * DAY_MS + HOUR_MS;
    return await verify(core, () => this.#journal.shards, cutoffMs);
  }

  async close(): Promise<void> {
    if (this.#state === "active") return;
    if (this.#state !== "closed") this.#enter("closed");
    this.#pause.end();
    await this.#running;
    await this.#end(new EngineError("ENGINE_CLOSED"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #isOver(): boolean {
    return this.#state === "active" || this.#state === "closed";
  }

  get #reasons(): readonly string[] {
    if (this.#isOver) return [];
    const reasons: string[] = [...this.#objections];
    if (this.#failing !== undefined) reasons.push(`the store fails: ${this.#failing}`);
    if (this.#unreadable !== undefined) reasons.push(`the journal cannot be followed: ${this.#unreadable}`);
    const { apartMs } = this.#keeper;
    if (apartMs !== undefined)
      reasons.push(`the clock of this machine and that of the store are ${Math.round(apartMs)} ms apart`);
    if (this.#keeper.isLost) reasons.push("another node has declared this one dead; it joins again");
    else if (!this.#parts.core.trust.holds)
      reasons.push("the lease of this node could not be renewed in time");
    return reasons;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      let pauseMs = this.#keeper.beatMs;
      try {
        pauseMs = await this.#step();
      } catch (error) {
        this.#watch.reset();
        this.#failing = errorMessage(error).slice(0, LONGEST_DETAIL);
        this.#parts.core.telemetry.event("warn", "standby.failed", { message: this.#failing });
        void this.#reportState();
      }
      if (this.#isOver) return;
      const { clock } = this.#parts.core;
      await this.#pause.until((over) => clock.schedule(clock.monotonicMs() + pauseMs, over));
    }
  }

  /** Reads the nodes and new records, and takes over if it is due. Resolves to the pause before the next step. */
  async #step(): Promise<number> {
    if (this.#keeper.isLost) await this.#keeper.join();
    const view = await this.#watch.read();
    this.#holders.observe(view, this.#keeper.incarnation);
    await this.#follow(this.#isHandingOver(view));
    const owners = this.#watch.owners(view).filter((row) => !this.#watch.hasFailed(row));
    this.#objections = owners.flatMap((row) => objectionsTo(row, this.#entry));
    this.#failing = undefined;
    await this.#reportState();
    await this.#watch.declareIdleDead(view);
    if (this.#state === "ready" && (await this.#watch.areFree(view)) && !this.#leaves(view))
      await this.#takeOver();
    else await this.#resign(view);
    // An owner that hands over learns from the beat that this node has read it.
    if (this.#state === "ready" && this.#isHandingOver(view)) await this.#keeper.renew();
    return this.#pauseAfter(view);
  }

  /**
   * Returns whether free shards are left to another node that is ready and could not follow this one (decision YF). After
   * two ttl this node takes them nevertheless.
   */
  #leaves(view: ClusterView): boolean {
    const { core, cluster } = this.#parts;
    const isOlder = this.#watch
      .others(view)
      .some((row) => row.state === "ready" && outdated(row, this.#entry) !== undefined);
    if (!isOlder) {
      this.#leavingSinceMs = undefined;
      return false;
    }
    this.#leavingSinceMs ??= core.monotonicMs();
    return core.monotonicMs() - this.#leavingSinceMs < 2 * cluster.ttlMs;
  }

  /**
   * Releases shards that this node owns and does not open: the answer to its claim was lost, or its takeover or a release
   * failed, and it is not ready now. It lives, so that nobody else could claim them.
   */
  async #resign(view: ClusterView): Promise<void> {
    if (!this.#isOver) await this.#claims.release(ownedBy(view, this.#keeper.incarnation));
  }

  async #follow(isHurried: boolean): Promise<void> {
    try {
      await (isHurried ? this.#journal.follow() : this.#journal.followAtLeisure());
      await this.#venue.settle((orderId) => this.#journal.orderOf(orderId));
      this.#unreadable = undefined;
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      this.#unreadable = error.message;
    }
  }

  #isHandingOver(view: ClusterView): boolean {
    return this.#watch.owners(view).some(({ state }) => state === "handing-over");
  }

  #pauseAfter(view: ClusterView): number {
    if (this.#isHandingOver(view)) return HAND_OVER_PAUSE_MS;
    return this.#watch.untilDueMs(view, this.#keeper.untilReadMs);
  }

  /**
   * Claims the shards, reads in new statements what their owner appended last, and opens the engine. Without the shards
   * it goes on following. A journal that cannot be read releases them.
   */
  async #takeOver(): Promise<void> {
    const { core } = this.#parts;
    const heads = await this.#claims.claim(EVERY_SHARD);
    // A standby that was closed meanwhile leaves the cluster, and its shards are nobody's then.
    if (heads === undefined || this.#isOver) return;
    this.#enter("taking-over");
    core.probe("after-take-over");
    try {
      await this.#journal.catchUp();
      await this.#open(shardsIn(heads));
    } catch (error) {
      if (this.#isOver) return;
      this.#enter("following");
      if (error instanceof InvariantError) {
        this.#unreadable = error.message;
        await this.#claims.release(heads);
      }
      throw error;
    }
  }

  async #open(heads: readonly ShardHead[]): Promise<void> {
    const { core, options, leases, cluster } = this.#parts;
    const market = await marketIn(timely(core));
    if (this.#state !== "taking-over") return;
    const lease = new EngineLease(core, {
      ...{ leases, keeper: this.#keeper, watch: this.#watch, entry: this.#entry },
      ttlMs: cluster.ttlMs,
    });
    const { books, history, memory } = this.#books;
    const ahead = { gates: this.#market.gates, books, history, memory };
    const parts = engineParts(core, options, { heads, market: { ...market, ahead } });
    const engine = new RunningEngine(parts, lease);
    try {
      await this.#books.restoreReferences();
      await engine.start({
        load: (shard) => {
          const follower = this.#journal.shards[shard.number];
          if (follower !== undefined) shard.continueFrom(follower.followed);
        },
        isArmed: this.#books.armedAt(core.nowMs()),
        venue: (listener) => this.#venue.passOn(listener),
        subscribe: () => {
          this.#market.passOn({
            market: parts.market,
            acceptedAtMs: (symbol) => parts.participants.newestAcceptedAtMs(symbol),
          });
          return this.#unsubscribe;
        },
      });
    } catch (error) {
      engine.abandon();
      await lease.release();
      await this.#end(error);
      return;
    }
    if (this.#isOver) return await this.#end(new EngineError("ENGINE_CLOSED"), engine);
    lease.watch(parts);
    if (this.#venue.lost > 0) parts.board.eventsDropped(this.#venue.lost);
    this.#engine = engine;
    this.#enter("active");
    this.#resolve(engine);
  }

  /** Ends the standby, and closes an engine that began to run after the standby was closed. Never rejects. */
  #end(error: unknown, engine?: RunningEngine): Promise<void> {
    this.#ending ??= this.#endOnce(error, engine);
    return this.#ending;
  }

  async #endOnce(error: unknown, engine: RunningEngine | undefined): Promise<void> {
    const { core, leases } = this.#parts;
    this.#state = "closed";
    if (engine !== undefined) await closeQuietly(core, async () => void (await engine.close()));
    else {
      this.#keeper.stop();
      harmless(() => this.#venue.stop(), core.reporterOf("unsubscribe.failed"));
      harmless(() => this.#unsubscribe(), core.reporterOf("unsubscribe.failed"));
      await leaveCluster(core, leases, this.#keeper.incarnation);
    }
    this.#reject(error);
    this.#notifyListeners();
  }

  /** Moves between following and ready, and tells store and listeners. */
  async #reportState(): Promise<void> {
    if (this.#state !== "following" && this.#state !== "ready") return;
    const state = this.#reasons.length === 0 ? "ready" : "following";
    this.#state = state;
    this.#notifyListeners();
    await this.#keeper.reportState(state);
  }

  #enter(state: StandbyState): void {
    this.#state = state;
    this.#notifyListeners();
  }

  #notifyListeners(): void {
    const status = this.status();
    const text = JSON.stringify(status);
    if (text === this.#reported) return;
    this.#reported = text;
    const { reporterOf: told } = this.#parts.core;
    for (const listener of [...this.#listeners]) harmless(() => listener(status), told("listener.failed"));
  }
}

/**
 * Opens a node of a cluster on a store with leases. It follows the journal and takes over as soon as no live node owns
 * the shards: at once on a store without an owner, and otherwise when the owner fails or hands over. Resolves when it
 * follows. Rejects when the store cannot be read or holds data of a newer version, and with a TypeError or RangeError that
 * names an option that is missing, unknown, of the wrong type or out of range, or a store without leases (decisions WM to
 * WV). It closes the store then, unless an option is wrong.
 *
 * @example
 * ```ts
 * import { openStandby, type Engine, type EngineOptions } from "managed-orders/engine";
 * const serve = async (options: EngineOptions, use: (engine: Engine) => void): Promise<void> => {
 *   const standby = await openStandby({ ...options, cluster: { name: "node-1" } });
 *   standby.onStatus(({ state, reasons }) => console.log(state, reasons.join("; ")));
 *   use(await standby.takenOver);
 * };
 * ```
 */
export async function openStandby(given: StandbyOptions): Promise<Standby> {
  standbyOptions(given, "openStandby");
  const cluster = clusterOf(given.cluster, "openStandby");
  const leases = leasesOf(given.store, "openStandby");
  const core = coreOf(given, cluster);
  const standby = new WaitingEngine({
    ...{ core, cluster, options: checkedOptions(core, given) },
    leases: checkedLeases(leases, core.questions),
  });
  await standby.start();
  return standby;
}
