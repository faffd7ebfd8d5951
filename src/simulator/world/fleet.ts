import { openEngine } from "../../engine/index.ts";
import type { Instrument } from "../../model/index.ts";
import type { Clock, Instruments, Telemetry } from "../../ports/index.ts";
import { createMemoryInstruments } from "../../adapters/memory/index.ts";
import { createService } from "../../service/index.ts";
import type { Demand } from "./invariant-broken.ts";
import type { WorldParts } from "./parts.ts";
import { Process } from "./process.ts";
import type { Random } from "./random.ts";

/** What a fleet needs; the rest of the world is made after it. */
export type FleetParts = Readonly<{ random: Random; demand: Demand; parts: () => WorldParts }>;

/** The processes of a world: the newest one, and older ones that do not know that they were replaced. */
export class Fleet {
  readonly #options: FleetParts;
  readonly #instruments: Instruments;
  #newest: Process | undefined;
  #old: Process[] = [];
  #generations = 0;
  #tokens = 0;

  constructor(options: FleetParts, symbols: readonly string[]) {
    this.#options = options;
    this.#instruments = createMemoryInstruments(symbols.map(instrumentOf));
  }

  /** The newest process, unless it is dead. */
  get newest(): Process | undefined {
    return this.#newest?.dead === true ? undefined : this.#newest;
  }

  /** Processes that are not dead, the newest last. */
  get alive(): readonly Process[] {
    const alive = this.#old.filter((process) => !process.dead);
    return this.newest === undefined ? alive : [...alive, this.newest];
  }

  get generations(): number {
    return this.#generations;
  }

  /** The process that runs and is the newest. */
  get running(): Process | undefined {
    const process = this.newest;
    return process?.state === "running" && !process.paused ? process : undefined;
  }

  /** One that takes requests, now and then an old one. */
  pick(random: Random): Process | undefined {
    const wish = random.chance(0.1);
    const old = this.#old.find((process) => process.state === "running" || process.state === "closing");
    const newest = this.newest;
    if (wish && old !== undefined) return old;
    return newest?.service === undefined ? old : newest;
  }

  /** Begins a process; the one before goes on if it has not died. */
  start(): Process {
    const { parts } = this.#options;
    const { time } = parts();
    if (this.#newest !== undefined && !this.#newest.dead) this.#old.push(this.#newest);
    this.#old = this.#old.filter((process) => !process.dead);
    const process = new Process(++this.#generations, time.trueMs);
    this.#newest = process;
    parts().beside(this.#open(process));
    return process;
  }

  /** A process took the store over. */
  acquired(process: Process): void {
    const nowMs = this.#options.parts().time.trueMs;
    for (const other of this.alive)
      if (other !== process && other.ownedAtMs !== undefined) other.replacedAtMs ??= nowMs;
    process.ownedAtMs = nowMs;
  }

  kill(process: Process): void {
    const { venue, situations, journal } = this.#options.parts();
    if (process.appending > 0) situations.saw("killed with an append under way");
    if (process.owns && journal.inFlight > 0) this.#sawChildren();
    process.kill();
    venue.forget(process);
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

  async #open(process: Process): Promise<void> {
    const { demand, parts } = this.#options;
    const { store, venue, hosts, plan, time } = parts();
    const clock: Clock = process.clock(time.clock);
    const shared = {
      instruments: this.#instruments,
      accounts: hosts.accounts(process),
      clock,
      entropy: { token: (length: number) => String(++this.#tokens).padStart(length, "t") },
      telemetry: this.#telemetry(process),
    };
    try {
      const engine = await openEngine({
        ...shared,
        store: store.open(process),
        exposure: hosts.exposure(process),
        venue: venue.open(process),
        marketData: {
          subscribe: (sink) => {
            process.sink = sink;
            return () => {
              process.sink = undefined;
            };
          },
        },
        settings: plan.settings,
      });
      if (process.dead) return;
      process.engine = engine;
      process.service = createService({
        ...shared,
        engine,
        rateLimiter: hosts.rateLimiter(process),
        replayGuard: { maxPerGeneration: 5_000 },
        sockets: { settings: { maxWaitingEventBytes: 200_000 } },
      });
      process.state = "running";
    } catch (error) {
      demand(process.dead || process.storeFaults > 0, "an engine opens", () => String(error));
      this.kill(process);
    }
  }

  #telemetry(process: Process): Telemetry {
    const { demand, parts } = this.#options;
    return {
      event(_level, name, fields) {
        if (process.dead) return;
        if (name === "child.unknown" || name === "shard.fenced") return;
        const text = Object.values(fields).join(" ");
        demand(!text.includes("secret-"), "I72", () => `${name}: ${text}`);
        if (name === "listener.failed") demand(false, "a listener fails", () => text);
        if (name === "request.failed") parts().beside(Promise.resolve());
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
