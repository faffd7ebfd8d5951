import { type ErrorName, invariant, OrderError } from "../../errors/index.ts";
import type { Telemetry } from "../../ports/index.ts";

/**
 * Where a shard stands. `loading`: its memory is being made from the store for the first time. `running`: it decides.
 * `reloading`: an append failed, and its memory is being made anew. `fenced`: another epoch owns it. `closed`: its
 * engine was closed.
 */
export type ShardState = "loading" | "running" | "reloading" | "fenced" | "closed";

/** Which states may follow each; any other step is a broken invariant (I65). */
export const NEXT_STATES: Readonly<Record<ShardState, readonly ShardState[]>> = {
  loading: ["running", "fenced", "closed"],
  running: ["reloading", "fenced", "closed"],
  reloading: ["running", "fenced", "closed"],
  fenced: ["closed"],
  closed: [],
};

/** Why nothing can be decided in a state. Nothing was kept of what is refused so. */
const REFUSALS: Readonly<Record<Exclude<ShardState, "running">, ErrorName>> = {
  loading: "DISCONNECTED",
  reloading: "DISCONNECTED",
  fenced: "SHARD_FENCED",
  closed: "ENGINE_CLOSED",
};

/** An input, and who is told when it will never run. */
type Input = Readonly<{ run: () => void; refused: ((error: OrderError) => void) | undefined }>;

/** What the life of a shard needs: its number, how many callers may wait in its mailbox, and who is told of a failure. */
type LifeOptions = Readonly<{
  shard: number;
  maxWaiting: number;
  telemetry: Telemetry;
}>;

/**
 * The state of a shard and the mailbox that belongs to it: an input runs at once while the shard runs, waits while it
 * is read from the store, and is refused by name once it is fenced or closed. What waits runs in the order in which it
 * came, before anything that comes later.
 */
export class ShardLife {
  readonly #options: LifeOptions;
  #state: ShardState = "loading";
  #waiting: Input[] = [];
  /** Callers among those that wait. */
  #callers = 0;
  #draining = false;

  constructor(options: LifeOptions) {
    this.#options = options;
  }

  get state(): ShardState {
    return this.#state;
  }

  /** Why nothing can be decided now; undefined while the shard runs. */
  get refusal(): OrderError | undefined {
    if (this.#state === "running") return undefined;
    return new OrderError(REFUSALS[this.#state], { shard: this.#options.shard });
  }

  /** Takes a step of {@link NEXT_STATES}: what waits runs when the shard runs, and is refused when it never will. */
  enter(next: ShardState): void {
    const { shard } = this.#options;
    const allowed = NEXT_STATES[this.#state].includes(next) && !(this.#draining && next === "reloading");
    invariant(allowed, "I65", `shard ${shard} went from ${this.#state} to ${next}`);
    this.#state = next;
    if (next === "running") this.#drain();
    else if (next !== "reloading") this.#refuseWaiting();
  }

  /** Runs an input now or when the shard runs; `refused` hears of it when it never will. */
  post(run: () => void, refused?: (error: OrderError) => void): void {
    if (this.#state === "running" && !this.#draining) return run();
    if (this.#state === "fenced" || this.#state === "closed") return this.#refuse(refused);
    // What the engine must know waits without a bound; callers are many, and can ask again.
    if (refused !== undefined && ++this.#callers > this.#options.maxWaiting) {
      this.#callers--;
      return refused(new OrderError("DISCONNECTED"));
    }
    this.#waiting.push({ run, refused });
  }

  /** What is posted meanwhile comes last. An input that fails is told of, and does not keep the others from running. */
  #drain(): void {
    this.#draining = true;
    for (let batch = this.#empty(); batch.length > 0; batch = this.#empty()) {
      for (const { run, refused } of batch) {
        if (this.#state === "running") this.#attempt(run);
        else this.#refuse(refused);
      }
    }
    this.#draining = false;
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      const { shard, telemetry } = this.#options;
      telemetry.event("error", "input.failed", { shard, message: String(error) });
    }
  }

  #refuseWaiting(): void {
    for (const { refused } of this.#empty()) this.#refuse(refused);
  }

  #refuse(refused: Input["refused"]): void {
    const { refusal } = this;
    if (refusal !== undefined) refused?.(refusal);
  }

  #empty(): readonly Input[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#callers = 0;
    return waiting;
  }
}
