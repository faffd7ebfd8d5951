import { errorMessage, Pause } from "../common/index.ts";
import type { Core, Shards, StatusBoard } from "../engine/internal.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type { ClusterView, NodeEntry, NodeState, ShardLeases, ShardOwner } from "../ports/index.ts";
import {
  objectionsTo,
  outdatedIn,
  ownedBy,
  readersIn,
  type ShardHolders,
  shardsIn,
} from "./cluster-views.ts";
import type { FollowedJournal, FollowedMarket } from "./followed.ts";
import type { VenueBuffer } from "./heard.ts";
import type { LeaseKeeper } from "./lease.ts";
import type { GivingProgress } from "./node-lease.ts";
import type { NodeWatch } from "./node-watch.ts";
import type { OwnedShards } from "./owned-shards.ts";
import {
  arrivalsOf,
  claimsOf,
  givesOf,
  handOverOf,
  isHandOverUnderWay,
  movesOf,
  type ShareMove,
  type ShareReading,
  ShareWatch,
  withdrawalsOf,
} from "./share-plan.ts";

/** Renewals after which a node has certainly read what was written before the first of them. */
const BEATS = 2;

/**
 * Knows which nodes have read that a shard is on its way to them. A node reads the nodes between two renewals, and one that
 * expects a shard reads and renews often, so that a beat that has risen twice soon says so.
 */
class Recipients {
  /** By node: its beat when a shard was first seen on its way to it. */
  readonly #first: Map<number, number> = new Map();

  /** Returns those of the shards whose next node waits for them. */
  ready({ nodes, shards }: ClusterView, given: ReadonlySet<number>): readonly number[] {
    const beats = new Map(nodes.map(({ incarnation, beat }) => [incarnation, beat]));
    const rows = shards.filter(({ shard }) => given.has(shard));
    const awaited = new Set(rows.map(({ next }) => next ?? 0));
    for (const node of this.#first.keys()) if (!awaited.has(node)) this.#first.delete(node);
    for (const node of awaited) if (!this.#first.has(node)) this.#first.set(node, beats.get(node) ?? 0);
    const hasRead = (node: number): boolean =>
      (beats.get(node) ?? 0) >= (this.#first.get(node) ?? Number.POSITIVE_INFINITY) + BEATS;
    return rows.filter(({ next }) => hasRead(next ?? 0)).map(({ shard }) => shard);
  }
}

/** Pause between two reads of nodes while shards are on their way. */
const HAND_OVER_PAUSE_MS = 20;

/** How long a node reads often after a shard was on its way to it, in milliseconds: the next ones may follow. */
const EXPECTING_MS = 1_000;

/**
 * A node that reads often follows the journal in every so many steps, and if it expects shards it renews then, so that their
 * owners know that it reads often. In the others it only looks for what it can claim: an account is without service.
 */
const QUICK_STEPS = 4;

const LONGEST_DETAIL = 200;

/** Steps in which a node does not look for records after one in which it found none. */
const QUIET_RESTS = 2;

/** Stored prints are read in every so many steps: nodes hear prints themselves, and read only those that they have missed. */
const STEPS_PER_PRINTS = 6;

/** Dependencies of {@link ShareLoop}. `entry` is what this node says of itself, `changed` is called after each step. */
type ShareLoopParts = Readonly<{
  leases: ShardLeases;
  entry: NodeEntry;
  keeper: LeaseKeeper;
  watch: NodeWatch;
  holders: ShardHolders;
  journal: FollowedJournal;
  prints: FollowedMarket;
  venue: Pick<VenueBuffer, "lost" | "settle">;
  owned: OwnedShards;
  shards: Shards;
  board: StatusBoard;
  changed: () => void;
}>;

/**
 * The work of a node that shares the shards: it reads the nodes and their shards, follows the journal, and does what is its
 * part of the plan that every node makes for itself.
 */
export class ShareLoop {
  readonly #core: Core;
  readonly #parts: ShareLoopParts;
  readonly #shares: ShareWatch;
  readonly #recipients: Recipients = new Recipients();
  #reading: ShareReading | undefined;
  #objections: readonly string[] = [];
  /** The failure of the last step. */
  #failing: string | undefined;
  #givesAll = false;
  #isAlone = false;
  /** Number of dropped events that were told of. */
  #lost = 0;
  /** Number of steps so far. */
  #steps = 0;
  /** Number of steps so far after which the next came soon. */
  #quickSteps = 0;
  #expectingUntilMs = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();
  readonly #pause: Pause = new Pause();

  constructor(core: Core, parts: ShareLoopParts) {
    this.#core = core;
    this.#parts = parts;
    const { ttlMs } = parts.entry;
    const canRead = (row: Parameters<ReturnType<typeof readersIn>>[0]): boolean => this.#canRead(row);
    this.#shares = new ShareWatch({ ttlMs, canRead });
  }

  #canRead: ReturnType<typeof readersIn> = () => true;

  begin(): void {
    this.#running = this.#run();
  }

  /** Ends the loop. Resolves when its last step is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause.end();
    await this.#running;
  }

  /** Why this node takes no more shards, in words for an operator. */
  get reasons(): readonly string[] {
    const { keeper } = this.#parts;
    const reasons: string[] = [...this.#objections];
    if (this.#failing !== undefined) reasons.push(`the store fails: ${this.#failing}`);
    if (keeper.apartMs !== undefined)
      reasons.push(
        `the clock of this machine and that of the store are ${Math.round(keeper.apartMs)} ms apart`,
      );
    if (keeper.isLost) reasons.push("another node has declared this one dead");
    else if (!this.#core.trust.holds) reasons.push("the lease of this node could not be renewed in time");
    return reasons;
  }

  /** What the node does now, as it tells the store. */
  get state(): NodeState {
    if (this.#givesAll || this.#stopped) return "handing-over";
    if (this.#core.counters.shards > 0 || this.#parts.owned.runsMarket) return "active";
    return this.reasons.length === 0 ? "ready" : "following";
  }

  /** Begins to give all shards to other nodes, or with false stops doing so. */
  async giveAll(wanted: boolean): Promise<void> {
    this.#givesAll = wanted;
    this.#pause.end();
    await this.#parts.keeper.reportState(this.state);
  }

  /** Returns how far that is. */
  get progress(): GivingProgress {
    const { owned } = this.#parts;
    const reading = this.#reading;
    const runs = this.#core.counters.shards > 0 || owned.runsMarket || owned.isBusy;
    if (!runs && reading !== undefined && ownedBy(reading.view, reading.own).length === 0) return "given";
    if (!this.#isAlone) return "giving";
    return reading !== undefined && reading.live.size > 1 ? "alone" : "single";
  }

  async #run(): Promise<void> {
    const { keeper, watch, changed } = this.#parts;
    while (!this.#stopped) {
      let pauseMs = keeper.beatMs;
      try {
        if (keeper.isLost && !this.#core.trust.isOver) await keeper.join();
        if (!keeper.isLost) pauseMs = await this.#step();
        this.#failing = undefined;
      } catch (error) {
        watch.reset();
        this.#shares.reset();
        this.#failing = errorMessage(error).slice(0, LONGEST_DETAIL);
        this.#core.telemetry.event("warn", "node.failed", { message: this.#failing });
      }
      changed();
      const { clock } = this.#core;
      if (!this.#stopped)
        await this.#pause.until((over) => clock.schedule(clock.monotonicMs() + pauseMs, over));
    }
  }

  /** Reads, acts and follows. Resolves to the pause before the next step. */
  async #step(): Promise<number> {
    const { keeper, watch, holders, entry, board } = this.#parts;
    const requestedMs = this.#core.monotonicMs();
    const view = await watch.read();
    const times = { requestedMs, answeredMs: this.#core.monotonicMs() };
    holders.observe(view, keeper.incarnation);
    this.#canRead = readersIn(view);
    const reading = this.#shares.observe(view, keeper.incarnation, times);
    this.#reading = reading;
    const live = watch.others(view).filter((row) => !watch.hasFailed(row));
    this.#objections = live.flatMap((row) => (isOwner(view, row) ? objectionsTo(row, entry) : []));
    board.nodesOutdated(outdatedIn(live, entry));
    board.shardsUnowned(this.#shares.unclaimed);
    this.#reportLost();
    const isNew = await keeper.reportState(this.state);
    const hasDeclared = await watch.declareFailedDead(view);
    const hasTaken = !this.#stopped && (await this.#act(reading));
    const isExpecting = this.#isExpecting(reading);
    const isQuick = isExpecting || this.#givesAll || givesOf(reading).length > 0;
    // A claim reads the records of its own shards, so that these do not wait for those of the others.
    if (!isQuick || this.#quickSteps++ % QUICK_STEPS === 0) {
      await this.#follow(reading);
      if (isExpecting) await keeper.renew();
    }
    // What was released while this node claimed is waiting. A standby takes what is free as soon as it is ready; nodes that share
    // wait for the next reading, because others may begin at the same time.
    const isAwaited = isNew && this.state === "ready" && entry.shares !== true;
    if (hasDeclared || hasTaken || isAwaited) return 0;
    return isQuick ? HAND_OVER_PAUSE_MS : watch.untilDueMs(reading.view, keeper.untilReadMs);
  }

  /** Tells of events of the venue that were dropped because too many came for shards of other nodes. */
  #reportLost(): void {
    const { venue, board } = this.#parts;
    if (venue.lost > this.#lost) board.eventsDropped(venue.lost);
    this.#lost = venue.lost;
  }

  async #follow(reading: ShareReading): Promise<void> {
    const { journal, owned, prints, venue } = this.#parts;
    const isArriving = arrivalsOf(reading).length > 0;
    await (isArriving ? journal.follow() : journal.followAtLeisure(QUIET_RESTS));
    await venue.settle((orderId) => journal.orderOf(orderId));
    if (!owned.runsMarket && this.#steps++ % STEPS_PER_PRINTS === 0) await prints.follow();
  }

  /** Resolves to whether it has taken shards that were free. */
  async #act(reading: ShareReading): Promise<boolean> {
    this.#fence(reading);
    await this.#assign(reading);
    const gives = this.#give(reading);
    await this.#reclaim(reading, gives);
    if (this.#givesAll || this.reasons.length > 0) return false;
    let hasTaken = false;
    for (const set of claimsOf(reading)) if (await this.#take(this.#takeable(set))) hasTaken = true;
    return hasTaken;
  }

  /** Stops what the store says is not this node's any more: shards in another epoch, and the market journal. */
  #fence({ view, own }: ShareReading): void {
    const { shards, owned } = this.#parts;
    for (const { shard: number, epoch } of shardsIn(view.shards)) {
      const shard = shards.at(number);
      if (!owned.isMoving(number) && shard.isOwned && shard.epoch !== epoch) shard.noteEpoch(epoch);
    }
    // An append would be refused, but without quotes and prints there is none.
    if (view.shards.some(({ shard, incarnation }) => shard === MARKET_SHARD && incarnation !== own))
      owned.loseMarket();
  }

  /** Says in the store which shards of this node shall go where. */
  async #assign(reading: ShareReading): Promise<void> {
    const { leases, keeper } = this.#parts;
    const from = keeper.incarnation;
    const withdrawn = withdrawalsOf(reading);
    if (withdrawn.length > 0) await leases.assign({ shards: withdrawn, from });
    for (const { to, shards } of this.#movesOf(reading)) await leases.assign({ shards, to, from });
  }

  #movesOf(reading: ShareReading): readonly ShareMove[] {
    if (!this.#givesAll) return movesOf(reading);
    const moves = handOverOf(reading);
    this.#isAlone = moves === undefined;
    return moves ?? [];
  }

  /** Gives shards up whose next owner waits for them. Returns all that are on their way to others. */
  #give(reading: ShareReading): ReadonlySet<number> {
    const { owned } = this.#parts;
    const gives = new Set(givesOf(reading));
    const waitedFor = this.#recipients.ready(reading.view, gives);
    const isDue = ({ shard }: ShardOwner): boolean => waitedFor.includes(shard) && !owned.isMoving(shard);
    const due = reading.view.shards.filter(isDue);
    this.#abandon(due);
    return gives;
  }

  #abandon(rows: readonly ShardOwner[]): void {
    if (rows.length === 0) return;
    // After a failure the next step comes by itself, and not at once: the store may fail at once, too.
    void this.#parts.owned.give(rows).then((isDone) => isDone && this.#pause.end());
  }

  /**
   * Runs again what belongs to this node and does not run: its release failed, or the answer to its claim was lost. What it
   * cannot run, or should not, it gives up, so that another node can take it.
   */
  async #reclaim({ view, own }: ShareReading, gives: ReadonlySet<number>): Promise<void> {
    const { owned } = this.#parts;
    const isIdle = (shard: number): boolean => !owned.runs(shard) && !owned.isMoving(shard);
    const idle = ownedBy(view, own).filter(({ shard }) => isIdle(shard) && !gives.has(shard));
    const isUnfit = this.#objections.length > 0 || this.#parts.keeper.apartMs !== undefined;
    const set = isUnfit ? [] : this.#takeable(idle.map(({ shard }) => shard));
    this.#abandon(idle.filter(({ shard }) => !set.includes(shard)));
    await this.#take(set);
  }

  /**
   * Returns those of the shards that the engine could run, as long as their open orders are not more than it may hold. One
   * that was fenced here cannot come back to this engine, and one that it has given up only when all its parents are let go.
   */
  #takeable(set: readonly number[]): readonly number[] {
    const { journal, owned, shards } = this.#parts;
    let room = this.#core.settings.maxOpenParents - shards.openParents;
    return set.filter((shard) => {
      const { openParents } = journal.shards[shard]?.memory ?? { openParents: 0 };
      const isAway = isElsewhere(shards, shard) && !owned.isMoving(shard);
      const isTakeable = isAway && !journal.broken.has(shard) && openParents <= room;
      if (isTakeable) room -= openParents;
      return isTakeable;
    });
  }

  async #take(set: readonly number[]): Promise<boolean> {
    return set.length > 0 && !this.#stopped && (await this.#parts.owned.take(set));
  }

  /**
   * Whether a shard is on its way to this node, or was a moment ago. While a node hands over, the shards that it gives to others
   * may be followed by some for this one.
   */
  #isExpecting(reading: ShareReading): boolean {
    const nowMs = this.#core.monotonicMs();
    const isNext = reading.takers.includes(reading.own) && isHandOverUnderWay(reading);
    if (isNext || arrivalsOf(reading).length > 0) this.#expectingUntilMs = nowMs + EXPECTING_MS;
    return nowMs < this.#expectingUntilMs;
  }
}

const isOwner = ({ shards }: ClusterView, { incarnation }: Readonly<{ incarnation: number }>): boolean =>
  shards.some((row) => row.incarnation === incarnation);

/** Returns whether the shard is not in memory, so that it can be taken; the market journal always can. */
const isElsewhere = (shards: Shards, shard: number): boolean =>
  shards.all[shard]?.state === undefined || shards.all[shard]?.state === "elsewhere";
