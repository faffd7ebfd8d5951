import { createMemoryInstruments } from "../../src/adapters/memory/index.ts";
import type { Random } from "../../src/common/random.ts";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { type Instrument, MARKET_SHARD, shardOfId } from "../../src/model/index.ts";
import type { Clock, Instruments, Telemetry } from "../../src/ports/index.ts";
import { createService, type Service, type ServiceOptions } from "../../src/service/index.ts";
import type { GivingWatch } from "./cluster/giving-watch.ts";
import { openInCluster } from "./cluster/open-node.ts";
import { ownFillsOf } from "./faults.ts";
import { EVERY_SHARD } from "./holdings.ts";
import type { Hosts } from "./hosts.ts";
import { Instance } from "./instance.ts";
import type { RequireThat } from "./invariant-broken.ts";
import type { JournalBook } from "./journal-book.ts";
import type { Plan } from "./plan.ts";
import type { Situations } from "./situations.ts";
import type { WorldNative } from "./world-native.ts";
import type { WorldStore } from "./world-store.ts";
import type { WorldTime } from "./world-time.ts";
import type { WorldVenue } from "./world-venue.ts";
import type { WorldVolumes } from "./world-volumes.ts";

/** The parts of the world that processes use. */
export type FleetWorld = Readonly<{
  plan: Plan;
  time: WorldTime;
  situations: Situations;
  journal: JournalBook;
  store: WorldStore;
  venue: WorldVenue;
  hosts: Hosts;
  native: WorldNative;
  volumes: WorldVolumes;
  beside: (doing: Promise<unknown>) => void;
}>;

/** Dependencies of a fleet. The rest of the world is created after it. */
export type FleetParts = Readonly<{
  requireThat: RequireThat;
  parts: () => FleetWorld;
  /** Called when a node claims shards that another has taken last, before it counts as their owner. */
  claiming: (owner: Instance, shards: readonly number[]) => void;
  /** Called when the engine of a node has taken shards over. */
  takenOver: (instance: Instance, engine: Engine) => void;
  /** Called when shards have come to the engine of a node that shares them, or left it. */
  moved: GivingWatch["moved"];
}>;

/** The processes of a world: the newest one, and older ones that do not know that they were replaced. */
export class Fleet {
  readonly #options: FleetParts;
  readonly #instruments: Instruments;
  #newest: Instance | undefined;
  #old: Instance[] = [];
  #generations = 0;
  #tokens = 0;
  #takeovers = 0;
  /** By shard, the process that has taken it last. */
  readonly #owners: (Instance | undefined)[] = [];

  constructor(options: FleetParts, symbols: readonly string[]) {
    this.#options = options;
    this.#instruments = createMemoryInstruments(symbols.map(instrumentOf));
  }

  /** The newest process, unless it is dead. */
  get newest(): Instance | undefined {
    return this.#newest?.dead === true ? undefined : this.#newest;
  }

  /** Processes that are not dead, the newest last. */
  get alive(): readonly Instance[] {
    const alive = this.#old.filter((instance) => !instance.dead);
    return this.newest === undefined ? alive : [...alive, this.newest];
  }

  get generations(): number {
    return this.#generations;
  }

  /** Number of times that a node took shards of another one over. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** Returns the process that has taken a shard last. It may be dead. */
  ownerOf(shard: number): Instance | undefined {
    return this.#owners[shard];
  }

  /** Returns the newest process, or of a cluster the owner of a shard, if it is running. */
  serving(shard: number): Instance | undefined {
    const instance = this.#isCluster ? this.ownerOf(shard) : this.newest;
    if (instance?.state !== "running" || instance.paused) return undefined;
    return this.#isCluster && !instance.holdings.owns(shard) ? undefined : instance;
  }

  /** Returns the process that runs the shard of an account. */
  servingAccount(accountId: number): Instance | undefined {
    return this.serving(shardOf(accountId));
  }

  /** The processes that have taken shards last, each once. */
  get owners(): readonly Instance[] {
    return [...new Set(this.#owners)].filter((owner) => owner !== undefined);
  }

  /** The shards that no process runs, with the market journal as one of them. */
  get unserved(): readonly number[] {
    return EVERY_SHARD.filter((shard) => {
      const instance = this.serving(shard);
      return instance === undefined || !runs(instance, shard);
    });
  }

  /** Whether every shard is run by a process. */
  get isServed(): boolean {
    return this.unserved.length === 0;
  }

  get #isCluster(): boolean {
    return this.#options.parts().plan.cluster !== undefined;
  }

  /** Picks a process that accepts requests of an account, sometimes one that does not own its shard. */
  pick(random: Random, accountId: number): Instance | undefined {
    const wish = random.chance(0.1);
    if (this.#isCluster) return this.#pickNode(random, accountId);
    const old = this.#old.find((instance) => instance.state === "running" || instance.state === "closing");
    const newest = this.newest;
    if (wish && old !== undefined) return old;
    return newest?.service === undefined ? old : newest;
  }

  /** Picks the node that some node names as the owner of the shard, or sometimes any node. */
  #pickNode(random: Random, accountId: number): Instance | undefined {
    const serving = this.alive.filter(({ service }) => service !== undefined);
    if (serving.length === 0) return undefined;
    const requested = random.pick(serving);
    const isAny = random.chance(0.1);
    const named = requested.node?.ownerOf(shardOf(accountId))?.incarnation;
    const owner = isAny ? undefined : serving.find(({ incarnation }) => incarnation === named);
    return owner ?? requested;
  }

  /** Starts a process. The previous one continues if it is not dead. */
  start(name = `node-${this.#generations + 1}`): Instance {
    const { parts } = this.#options;
    const { time } = parts();
    if (this.#newest !== undefined && !this.#newest.dead) this.#old.push(this.#newest);
    this.#old = this.#old.filter((instance) => !instance.dead);
    const instance = new Instance(++this.#generations, time.trueMs, name);
    this.#newest = instance;
    parts().beside(this.#open(instance));
    return instance;
  }

  /** Records that a process took shards over. */
  acquired(instance: Instance, shards: readonly number[]): void {
    const { plan, time } = this.#options.parts();
    const nowMs = time.trueMs;
    const taken = new Map<Instance, number[]>();
    for (const shard of shards) {
      // This includes a dead process: requests that it sent to the store may still arrive.
      const owner = this.#owners[shard];
      if (owner === undefined || owner === instance) continue;
      const lost = taken.get(owner);
      if (lost === undefined) taken.set(owner, [shard]);
      else lost.push(shard);
    }
    for (const [owner, lost] of taken) {
      if (plan.cluster !== undefined) this.#options.claiming(owner, lost);
      for (const shard of lost) owner.holdings.lose(shard, nowMs);
      this.#takeovers++;
    }
    for (const shard of shards) {
      this.#owners[shard] = instance;
      instance.holdings.take(shard, nowMs);
    }
  }

  kill(instance: Instance): void {
    const { venue, native, situations, journal } = this.#options.parts();
    if (instance.appending > 0) situations.observe("killed with an append under way");
    if (journal.inFlight > 0) this.#observedChildren(instance);
    instance.kill();
    venue.forget(instance);
    native.forget(instance);
  }

  #observedChildren({ holdings }: Instance): void {
    const { venue, situations, journal } = this.#options.parts();
    for (const orderId of journal.open) {
      const child = journal.find(orderId)?.child;
      if (child === undefined || !holdings.isLast(shardOfId(orderId))) continue;
      const isKnown = venue.rows.has(child.childId);
      situations.observe(isKnown ? "killed between submit and outcome" : "killed between intent and submit");
    }
  }

  async #open(instance: Instance): Promise<void> {
    const { requireThat, parts, takenOver, moved } = this.#options;
    const { store, venue, hosts, volumes, plan, time } = parts();
    const clock: Clock = instance.clock(time.clock);
    const shared = {
      instruments: this.#instruments,
      accounts: hosts.accounts(instance),
      clock,
      entropy: { token: (length: number) => String(++this.#tokens).padStart(length, "t") },
      telemetry: this.#telemetry(instance),
    };
    try {
      const options: EngineOptions = {
        ...shared,
        store: store.open(instance),
        exposure: hosts.exposure(instance),
        venue: venue.open(instance),
        marketData: {
          ownFillsInPrints: ownFillsOf(plan.rates),
          subscribe: (sink) => {
            instance.sink = sink;
            return () => {
              instance.sink = undefined;
            };
          },
        },
        settings: plan.settings,
        ...(plan.brings.volumeHistory && { volumeHistory: volumes.open(instance) }),
        probe: (point) => instance.point(point, () => this.kill(instance)),
      };
      const engine =
        plan.cluster === undefined
          ? await openEngine(options)
          : await openInCluster(instance, options, plan.cluster, {
              takenOver: (runs) => takenOver(instance, runs),
              moved: (shards) => moved(instance, shards),
            });
      if (instance.dead) return;
      instance.engine = engine;
      instance.service = this.#service(instance, { ...shared, engine });
      if (instance.state !== "closing") instance.state = "running";
    } catch (error) {
      const isClosed = instance.node !== undefined && instance.state === "closing";
      requireThat(instance.dead || isClosed || instance.storeFaults > 0, "an engine opens", () =>
        String(error),
      );
      this.kill(instance);
    }
  }

  #service(
    instance: Instance,
    shared: Pick<ServiceOptions, "engine" | "accounts" | "instruments" | "clock" | "entropy" | "telemetry">,
  ): Service {
    const { hosts, native, plan } = this.#options.parts();
    return createService({
      ...shared,
      rateLimiter: hosts.rateLimiter(instance),
      replayGuard: { maxPerGeneration: 5_000 },
      sockets: { settings: { maxWaitingEventBytes: plan.maxWaitingEventBytes } },
      ...(plan.brings.nativeOrders && { nativeOrders: native.open(instance) }),
    });
  }

  #telemetry(instance: Instance): Telemetry {
    const { requireThat } = this.#options;
    return {
      event(_level, name, fields) {
        if (instance.dead) return;
        if (name === "child.unknown" || name === "shard.fenced") return;
        const text = Object.values(fields).join(" ");
        requireThat(!text.includes("secret-"), "I72", () => `${name}: ${text}`);
        if (name === "listener.failed") requireThat(false, "a listener fails", () => text);
      },
    };
  }
}

/** Returns whether the engine of the owner of a shard runs it. That of a node which shares the shards may not have begun. */
function runs({ node, engine }: Instance, shard: number): boolean {
  if (node === undefined) return true;
  return shard === MARKET_SHARD ? node.status().keepsMarket : engine?.owns(shard) === true;
}

function instrumentOf(symbol: string, index: number): Instrument {
  const [base = ""] = symbol.split("/");
  return {
    id: index + 1,
    symbol,
    aliases: [`${base}USD`, `${base}-USD`],
    baseAsset: base,
    quoteAsset: "USD",
    name: base,
    kind: "liquidity",
    status: "TRADING",
  };
}
