import { createMemoryInstruments } from "../../adapters/memory/index.ts";
import { type Engine, type EngineOptions, openEngine } from "../../engine/index.ts";
import type { Instrument } from "../../model/index.ts";
import type { Clock, Instruments, Telemetry } from "../../ports/index.ts";
import { createService, type Service, type ServiceOptions } from "../../service/index.ts";
import type { Random } from "../random/index.ts";
import { openNode } from "./cluster/open-node.ts";
import type { Hosts } from "./hosts.ts";
import { Instance } from "./instance.ts";
import type { Demand } from "./invariant-broken.ts";
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
  demand: Demand;
  parts: () => FleetWorld;
  /** Called when a node claims the shards of another, before it counts as their owner. */
  claiming: (owner: Instance) => void;
  /** Called when the engine of a node has taken over. */
  takenOver: (instance: Instance, engine: Engine) => void;
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

  /** The process that took over the store last. */
  #owner: Instance | undefined;

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

  /** Number of times that a node took the shards of another one over. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** The process that took over the store last. It may be dead. */
  get owner(): Instance | undefined {
    return this.#owner;
  }

  /** The newest process, or of a cluster the owner of the shards, if it is running. */
  get running(): Instance | undefined {
    const instance = this.#isCluster ? this.#owner : this.newest;
    return instance?.state === "running" && !instance.paused ? instance : undefined;
  }

  get #isCluster(): boolean {
    return this.#options.parts().plan.cluster !== undefined;
  }

  /** Picks a process that accepts requests, sometimes an old one. */
  pick(random: Random): Instance | undefined {
    const wish = random.chance(0.1);
    if (this.#isCluster) {
      const serving = this.alive.filter(({ service }) => service !== undefined);
      const isOwner = (instance: Instance): boolean => instance === this.#owner;
      return serving.find((instance) => isOwner(instance) !== wish) ?? serving.at(-1);
    }
    const old = this.#old.find((instance) => instance.state === "running" || instance.state === "closing");
    const newest = this.newest;
    if (wish && old !== undefined) return old;
    return newest?.service === undefined ? old : newest;
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

  /** Records that a process took over the store. */
  acquired(instance: Instance): void {
    const { plan, time } = this.#options.parts();
    const nowMs = time.trueMs;
    // This includes a dead process: requests that it sent to the store may still arrive.
    if (this.#owner !== undefined && this.#owner !== instance) {
      if (plan.cluster !== undefined) this.#options.claiming(this.#owner);
      this.#owner.replacedAtMs ??= nowMs;
      this.#takeovers++;
    }
    this.#owner = instance;
    instance.ownedAtMs = nowMs;
    instance.replacedAtMs = undefined;
    instance.released = false;
  }

  kill(instance: Instance): void {
    const { venue, native, situations, journal } = this.#options.parts();
    if (instance.appending > 0) situations.saw("killed with an append under way");
    if (instance.owns && journal.inFlight > 0) this.#sawChildren();
    instance.kill();
    venue.forget(instance);
    native.forget(instance);
  }

  #sawChildren(): void {
    const { venue, situations, journal } = this.#options.parts();
    for (const orderId of journal.open) {
      const child = journal.find(orderId)?.child;
      if (child === undefined) continue;
      const isKnown = venue.rows.has(child.childId);
      situations.saw(isKnown ? "killed between submit and outcome" : "killed between intent and submit");
    }
  }

  async #open(instance: Instance): Promise<void> {
    const { demand, parts, takenOver } = this.#options;
    const { store, venue, hosts, volumes, plan, time } = parts();
    const clock: Clock = instance.clock(time.clock);
    let isFollowing = false;
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
      let engine: Engine;
      if (plan.cluster === undefined) engine = await openEngine(options);
      else {
        const standby = await openNode(instance, options, plan.cluster);
        isFollowing = true;
        engine = await standby.takenOver;
        if (!instance.dead) takenOver(instance, engine);
      }
      if (instance.dead) return;
      instance.engine = engine;
      instance.service = this.#service(instance, { ...shared, engine });
      if (instance.state !== "closing") instance.state = "running";
    } catch (error) {
      const isClosed = isFollowing && instance.state === "closing";
      demand(instance.dead || isClosed || instance.storeFaults > 0, "an engine opens", () => String(error));
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
    const { demand } = this.#options;
    return {
      event(_level, name, fields) {
        if (instance.dead) return;
        if (name === "child.unknown" || name === "shard.fenced") return;
        const text = Object.values(fields).join(" ");
        demand(!text.includes("secret-"), "I72", () => `${name}: ${text}`);
        if (name === "listener.failed") demand(false, "a listener fails", () => text);
      },
    };
  }
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
