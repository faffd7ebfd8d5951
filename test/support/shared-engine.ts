import {
  type Engine,
  EngineError,
  type EngineEventSource,
  type EngineEvents,
  type ShardsUpdate,
} from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";

/** The calls of an engine about one account. */
const CALLS = [
  "place",
  "check",
  "placeList",
  "cancel",
  "cancelList",
  "cancelAll",
  "find",
  "findList",
  "openLists",
  "allLists",
  "page",
] as const;

/** The name of a call about one account. */
export type AccountCall = (typeof CALLS)[number];

/** Calls that an engine answers in several steps, between which the shard may leave. */
const IN_STEPS: ReadonlySet<AccountCall> = new Set(["cancelList", "cancelAll"]);

/**
 * One of several nodes' engines over one real engine, which has the orders of all shards: it runs calls about the accounts of
 * its own shards there, and refuses others as an engine that shares the shards does.
 */
export class SharedEngine {
  readonly engine: Engine;
  /** Called when a call about an account arrives, before it is decided whose it is. */
  arrives: (call: AccountCall) => void = () => undefined;
  /** Called when the real engine has answered such a call. */
  answered: (call: AccountCall) => void = () => undefined;
  /** Called when the node asks whether a shard is here. */
  requested: (shard: number) => void = () => undefined;
  /** Calls that were decided here. */
  readonly decided: AccountCall[] = [];
  readonly #real: Engine;
  readonly #owned: Set<number> = new Set();
  readonly #listeners: Set<(update: ShardsUpdate) => void> = new Set();

  constructor(real: Engine) {
    this.#real = real;
    const own: Partial<Engine> = {
      owns: (shard) => {
        this.requested(shard);
        return this.#owned.has(shard);
      },
      events: this.#events(),
      ...Object.fromEntries(CALLS.map((name) => [name, (request: unknown) => this.#call(name, request)])),
    };
    this.engine = new Proxy(real, {
      get: (target, name) => {
        const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** Runs shards from now on. */
  gain(shards: readonly number[]): void {
    this.begin(shards);
    this.#report({ gained: shards, lost: [] });
  }

  /** Runs shards, as an engine does a moment before it says so. */
  begin(shards: readonly number[]): void {
    for (const shard of shards) this.#owned.add(shard);
  }

  /** Stops deciding for shards. */
  lose(shards: readonly number[]): void {
    for (const shard of shards) this.#owned.delete(shard);
    this.#report({ gained: [], lost: shards });
  }

  #report(update: ShardsUpdate): void {
    for (const receive of [...this.#listeners]) receive(update);
  }

  #events(): EngineEventSource {
    const on = <Name extends keyof EngineEvents>(
      event: Name,
      listener: (payload: EngineEvents[Name]) => void,
    ): (() => void) => {
      if (event === "shards") {
        const receive = (update: ShardsUpdate): void => listener(update as EngineEvents[Name]);
        this.#listeners.add(receive);
        return () => void this.#listeners.delete(receive);
      }
      return this.#real.events.on(event, (payload) => {
        const isElsewhere =
          (event === "order" || event === "list") && !this.#owned.has((payload as { shard: number }).shard);
        if (!isElsewhere) listener(payload);
      });
    };
    return { on, once: (event, listener) => this.#real.events.once(event, listener) };
  }

  async #call(name: AccountCall, request: unknown): Promise<unknown> {
    this.arrives(name);
    const shard = shardOf(
      typeof request === "number" ? request : (request as { accountId: number }).accountId,
    );
    this.#requireShard(shard);
    this.decided.push(name);
    const answer: unknown = await (this.#real[name] as (request: unknown) => Promise<unknown>).call(
      this.#real,
      request,
    );
    this.answered(name);
    if (IN_STEPS.has(name)) this.#requireShard(shard);
    return answer;
  }

  #requireShard(shard: number): void {
    if (!this.#owned.has(shard)) throw new EngineError("SHARD_ELSEWHERE", { shard });
  }
}
