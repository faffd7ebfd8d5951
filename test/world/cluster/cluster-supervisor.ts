import type { Random } from "../../../src/common/random.ts";
import { type EngineOptions, HandOverError } from "../../../src/engine/index.ts";
import { MARKET_SHARD } from "../../../src/model/index.ts";
import type { NodeState } from "../../../src/ports/index.ts";
import { closeAndEnd, endFailed } from "../closing.ts";
import { mayDieWhileOpening } from "../dying-opening.ts";
import type { Instance } from "../instance.ts";
import type { WorldParts } from "../parts.ts";
import type { ClusterPlan } from "../plan.ts";
import { HOUR_MS, turns } from "../world-time.ts";
import type { Direction, Link } from "./link.ts";
import type { Standstill } from "./machine-clock.ts";
import { ShardOperator } from "./shard-operator.ts";

type ProbePoint = Parameters<NonNullable<EngineOptions["probe"]>>[0];

const POINTS: readonly ProbePoint[] = [
  "after-take-over",
  "after-load",
  "before-append",
  "after-append",
  "before-submit",
  "after-submit",
  "before-outcome-append",
];

/** Number of ttl after which every shard has a running owner once faults are over: a watch, the pauses of two reads, a takeover. */
const OWNED_TTLS = 2.5;
/** The same while a node hands over: it takes nothing until no other node has taken shards for two ttl. */
const GIVEN_TTLS = 4.5;
/** The same while a node of an old version says that it is ready: its beats, and two ttl in which shards are left to it. */
const LEFT_TTLS = 7.5;

/** By how much the clock of a node is off, and is set. */
const OFF_MS = [400, 10_000, -10_000];
const STEPS_MS = [3_600_000, -3_600_000, 3_000, -3_000];

/** Starts the nodes of a cluster. Kills, stops, closes and cuts them off where faults strike. */
export class ClusterSupervisor {
  readonly #parts: WorldParts;
  readonly #plan: ClusterPlan;
  readonly #random: Random;
  readonly #instants: Random;
  /** Present if the nodes share the shards. */
  readonly #shards: ShardOperator | undefined;
  #kill: Instance | undefined;
  /** No node is started before this time. */
  #awayUntilMs = 0;
  /** Whether no node can reach the store. */
  #isStoreGone = false;
  /** Number of nodes of an old version that say that they are ready. */
  #olderReady = 0;

  constructor(parts: WorldParts, plan: ClusterPlan) {
    this.#parts = parts;
    this.#plan = plan;
    this.#random = parts.random.of("supervisor of nodes");
    this.#instants = parts.random.of("instants of a clock that is days ahead");
    this.#shards = plan.shares ? new ShardOperator(parts) : undefined;
  }

  /** Runs before the actions of a step: starts missing nodes, ends those that lost their shards, and lets faults strike. */
  begin(): void {
    const { fleet, time, situations } = this.#parts;
    const { alive } = fleet;
    if (alive.length === 0) situations.observe("no node alive");
    const isWanted = this.#random.chance(alive.length === 0 ? 0.5 : 0.3);
    if (isWanted && alive.length < this.#plan.most && time.trueMs >= this.#awayUntilMs) this.#start();
    for (const instance of alive) if (instance.isLost && this.#random.chance(0.2)) this.#close(instance);
    this.#shards?.look();
    this.#strike(this.#any());
  }

  /** Runs after the actions of a step: kills the node that is to die, in the middle of work in progress. */
  async end(): Promise<void> {
    const { fleet, time, faults } = this.#parts;
    const after = this.#random.below(90);
    const awayMs = this.#random.below(4 * this.#plan.ttlMs);
    const instance = this.#kill;
    this.#kill = undefined;
    if (instance !== undefined) {
      await turns(after);
      fleet.kill(instance);
      if (faults.strikes("process stays away", this.#random, 0.3)) this.#awayUntilMs = time.trueMs + awayMs;
    }
    // Now and then nothing happens for as long as a takeover lasts.
    if (this.#random.chance(0.08)) await time.pass(this.#plan.ttlMs + this.#random.below(this.#plan.ttlMs));
    await time.settle();
  }

  /**
   * Runs at the end: makes every connection whole and every clock right. Every shard must then have a running owner (I61).
   * Another node may join after that, to which some shards move while all orders end.
   */
  async recover(): Promise<void> {
    const { fleet, time, store, requireThat } = this.#parts;
    const { ttlMs, most } = this.#plan;
    await store.held.arrive();
    await store.late.arrive();
    this.#isStoreGone = false;
    for (const instance of fleet.alive) {
      instance.diesAt = undefined;
      this.#heal(instance);
      if (instance.state === "closing" || instance.isLost) fleet.kill(instance);
    }
    if (fleet.alive.length < most || fleet.alive.length === 0) this.#start();
    const sinceMs = time.trueMs;
    // A read that was asked before may fail after this, and every watch then starts anew. Shards on their way wait for appends.
    const cleanMs = Math.max(sinceMs, ...fleet.alive.map(({ unansweredUntilMs }) => unansweredUntilMs));
    const ownedTtls = fleet.alive.some(isHandingOver) ? GIVEN_TTLS : OWNED_TTLS;
    const longestTtls = this.#olderReady > 0 ? LEFT_TTLS : ownedTtls;
    // A shard that moves meanwhile waits for children and appends without an answer. So each must have been served once.
    let missing: readonly number[] | undefined;
    const serves = (): boolean => {
      const { unserved } = fleet;
      missing = missing?.filter((shard) => unserved.includes(shard)) ?? unserved;
      return missing.length === 0 && fleet.owners.every(({ renewedAtMs }) => renewedAtMs > sinceMs);
    };
    await time.settle();
    while (!serves() && time.trueMs < cleanMs + longestTtls * ttlMs) {
      await time.pass(100);
      for (const instance of fleet.alive) if (instance.isLost) fleet.kill(instance);
      if (fleet.alive.length === 0) this.#start();
    }
    requireThat(serves(), "I61", () => `nobody owns ${missing?.slice(0, 5)}: ${statesOf(fleet.alive)}`);
    if (this.#shards === undefined || !this.#plan.joinsLate) return;
    this.#start();
    this.#parts.beside(this.#shards.assign());
  }

  #heal(instance: Instance): void {
    const { time } = this.#parts;
    for (const link of Object.values(instance.links)) link.heal();
    if (instance.paused) instance.proceed(time);
    instance.unrenewedUntilMs = Number.NEGATIVE_INFINITY;
    instance.machine.setAhead(0);
  }

  /** A living node, the owner of the shards more often than another. */
  #any(): Instance | undefined {
    const { fleet } = this.#parts;
    const { alive } = fleet;
    const owner = fleet.ownerOf(this.#shards?.anyShard() ?? MARKET_SHARD);
    const ownerWanted = this.#random.chance(0.6);
    const other = alive.length === 0 ? undefined : this.#random.pick(alive);
    return ownerWanted && owner?.dead === false ? owner : other;
  }

  #strike(instance: Instance | undefined): void {
    const { faults } = this.#parts;
    const random = this.#random;
    const strikes = (fault: Parameters<typeof faults.strikes>[0], chance: number): boolean =>
      faults.strikes(fault, random, chance);
    const isKilled = strikes("process is killed", 0.03);
    const diesAtPoint = strikes("node is killed at a named point", 0.02);
    const isClosed = strikes("process is closed", 0.008);
    const isHandedOver = strikes("shards are handed over", 0.015);
    const isPaused = strikes("process is paused", 0.015);
    const sleeps = strikes("machine of a node sleeps", 0.01);
    const stands = strikes("machine of a node stands still", 0.01);
    const cuts: readonly (readonly [boolean, "store" | "venue", Direction])[] = [
      [strikes("node cannot ask the store", 0.012), "store", "asks"],
      [strikes("node does not hear the store", 0.012), "store", "answers"],
      [strikes("node cannot ask the venue", 0.012), "venue", "asks"],
      [strikes("node does not hear the venue", 0.012), "venue", "answers"],
    ];
    const isOff = strikes("clock of a node is off", 0.012);
    const isStepped = strikes("clock of a node steps", 0.008);
    const isUnrenewed = strikes("renewals of a node fail while its reads go on", 0.02);
    if (strikes("store is gone for all nodes", 0.004)) this.#losesStore();
    const isAssigned = strikes("shards are assigned by an operator", 0.12);
    if (isAssigned && this.#shards !== undefined) this.#parts.beside(this.#shards.assign());
    if (strikes("node of an old version joins", 0.008)) this.#parts.beside(this.#oldVersion());
    if (instance === undefined) return;
    if (isKilled) this.#kill = instance;
    if (diesAtPoint) instance.diesAt = random.pick(POINTS);
    if (isPaused) this.#stop(instance, "none");
    if (sleeps) this.#stop(instance, "monotonic");
    if (stands) this.#stop(instance, "both");
    for (const [isCut, to, direction] of cuts) if (isCut) this.#cut(instance.links[to], direction);
    if (isUnrenewed) instance.unrenewedUntilMs = this.#unrenewedUntilMs();
    if (isOff) this.#setClock(instance, random.pick(OFF_MS));
    if (isStepped) this.#setClock(instance, random.pick(STEPS_MS));
    if (isHandedOver) this.#handOver(instance);
    else if (isClosed) this.#close(instance);
  }

  /** Long enough, as often as not, that another node declares this one dead. */
  #unrenewedUntilMs(): number {
    const { ttlMs } = this.#plan;
    return this.#parts.time.trueMs + ttlMs / 2 + this.#random.below(3 * ttlMs);
  }

  #start(): void {
    const { fleet, faults, situations } = this.#parts;
    const { alive } = fleet;
    this.#jumpForAnInstant();
    const isTwin = faults.strikes("nodes have one name", this.#random, 0.3) && alive.length > 0;
    if (isTwin) situations.observe("two living nodes with one name");
    const twin = isTwin ? this.#random.pick(alive).name : undefined;
    const instance = fleet.start(twin);
    if (this.#shards !== undefined) this.#parts.beside(this.#noteJoin(this.#shards));
    if (this.#isStoreGone) for (const direction of BOTH) instance.links.store.cut(direction);
    mayDieWhileOpening(this.#parts, instance, { random: this.#random, chance: 0.1 });
  }

  /** A node starts while the wall clock of its machine, and of all others, is days ahead for 20 ms. */
  #jumpForAnInstant(): void {
    const { faults, time, beside, journal, situations } = this.#parts;
    const ms = this.#instants.pick([1, 7, 40]) * 24 * HOUR_MS;
    const strikes = faults.strikes("clock is days ahead for an instant", this.#instants, 0.1);
    if (!strikes || journal.records === 0 || time.wallMs !== time.trueMs) return;
    situations.observe("restart while the clock is days ahead");
    time.step(ms);
    beside(time.after(20).then(() => time.step(-ms)));
  }

  async #noteJoin(shards: ShardOperator): Promise<void> {
    if (await shards.areOnWay()) this.#parts.situations.observe("node joins while shards are on their way");
  }

  #stop(instance: Instance, what: Standstill): void {
    const { time } = this.#parts;
    if (instance.paused) return;
    const { ttlMs } = this.#plan;
    const ms = this.#random.below(this.#random.chance(0.5) ? ttlMs : 4 * ttlMs);
    const correctedMs = this.#random.below(3_000);
    instance.standStill(what, time);
    void time.after(ms).then(() => {
      instance.proceed(time);
      if (what === "both") void time.after(correctedMs).then(() => this.#corrected(instance));
    });
  }

  #corrected(instance: Instance): void {
    instance.enter(() => instance.machine.setAhead(0));
  }

  #cut(link: Link, direction: Direction): void {
    const { time } = this.#parts;
    link.cut(direction);
    void time.after(this.#random.below(3 * this.#plan.ttlMs)).then(() => {
      if (!this.#isStoreGone) link.heal();
    });
  }

  /** Takes the store away from every node for longer than two ttl. */
  #losesStore(): void {
    const { fleet, time, situations } = this.#parts;
    if (this.#isStoreGone) return;
    this.#isStoreGone = true;
    for (const { links } of fleet.alive) for (const direction of BOTH) links.store.cut(direction);
    situations.observe("every node without the store for longer than two ttl");
    void time.after(2 * this.#plan.ttlMs + 1 + this.#random.below(this.#plan.ttlMs)).then(() => {
      this.#isStoreGone = false;
      situations.observe("store back after longer than two ttl");
      for (const { links } of fleet.alive) links.store.heal();
    });
  }

  #setClock(instance: Instance, aheadMs: number): void {
    const { time, situations } = this.#parts;
    if (instance.paused) return;
    if (instance.state === "running") situations.observe("active node with a wrong clock");
    instance.machine.setAhead(aheadMs);
    void time.after(this.#random.below(4 * this.#plan.ttlMs)).then(() => this.#corrected(instance));
  }

  #handOver(instance: Instance): void {
    const { situations, beside, fleet } = this.#parts;
    if (instance.engine === undefined || instance.state !== "running") return;
    const handOver = async (): Promise<void> => {
      try {
        await instance.engine?.handOver();
        situations.observe("shards handed over");
        fleet.kill(instance);
      } catch (error) {
        if (!(error instanceof HandOverError)) return endFailed(this.#parts, instance, error);
        situations.observe("hand-over without a ready node");
      }
    };
    beside(handOver());
  }

  #close(instance: Instance): void {
    const { situations, beside, fleet, journal, time } = this.#parts;
    if (instance.state !== "running") return;
    if (instance.appending > 0 || journal.inFlight > 0) situations.observe("closed while work is under way");
    instance.state = "closing";
    beside(closeAndEnd(this.#parts, instance));
    void time.after(3_000 + this.#random.below(this.#plan.ttlMs)).then(() => {
      if (!instance.dead) fleet.kill(instance);
    });
  }

  /** Adds the row of a node that can read no facts, which renews for a while and then dies. It may never claim. */
  async #oldVersion(): Promise<void> {
    const { disk, time, situations } = this.#parts;
    const { leases } = disk.reader;
    if (leases === undefined) return;
    const { ttlMs } = this.#plan;
    const beats = this.#random.below(12);
    const state = this.#random.pick<NodeState>(["following", "ready"]);
    const entry = { name: "old", address: "", version: "0.0.1", format: 1, kinds: [], ttlMs };
    const { incarnation } = await leases.join(entry);
    if (state === "ready") this.#olderReady++;
    for (let left = beats; left > 0; left--) {
      await time.after(ttlMs / 4);
      const { alive } = await leases.renew({ incarnation, state });
      if (!alive) break;
    }
    await time.after(3 * ttlMs);
    if (state === "ready") this.#olderReady--;
    const row = (await leases.nodes()).nodes.find((node) => node.incarnation === incarnation);
    if (row === undefined || row.dead) situations.observe("node of an old version buried");
  }
}

const BOTH: readonly Direction[] = ["asks", "answers"];

const isHandingOver = ({ node }: Instance): boolean => node?.status().state === "handing-over";

/** Returns the states of nodes, and why they take no shards. */
function statesOf(nodes: readonly Instance[]): string {
  const stateOf = ({ state, node }: Instance): string => `${state} ${JSON.stringify(node?.status())}`;
  return nodes.map(stateOf).join("; ");
}
