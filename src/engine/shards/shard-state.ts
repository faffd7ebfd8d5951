import { invariant, type OrderError } from "../../errors/index.ts";
import { evolveAll } from "../../lifecycle/index.ts";
import type { JournalRecord, ParentChange, ParentOrder } from "../../model/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { EngineError, type EngineFault } from "../core/engine-error.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { Trust } from "../core/open-calls.ts";
import type { ShardReads } from "../core/stored.ts";
import { countAccepted, executionReader, type ParentCapture, type Replayed, replayShard } from "./replay.ts";
import { ShardMemory } from "./shard-memory.ts";

/** Source of the latest time at which a child intended now may be handed over, in the venue's time. */
export type DeadlineSource = Readonly<{ notAfterMs: () => number }>;

/** Where shards get the deadlines of their children from, and what they read from the store. All shards share both. */
export type ShardSources = Readonly<{ deadlines: DeadlineSource; reads: ShardReads }>;

/**
 * State of a shard. `loading`: its memory is being built from the store for the first time. `running`: it decides.
 * `reloading`: an append failed, and its memory is being rebuilt. `elsewhere`: another node of the cluster runs it, or
 * none does. `fenced`: another epoch owns it. `closed`: its engine was closed.
 */
export type ShardState = "loading" | "running" | "reloading" | "elsewhere" | "fenced" | "closed";

/** Allowed successors of each state. Any other step is a broken invariant (I65). */
export const NEXT_STATES: Readonly<Record<ShardState, readonly ShardState[]>> = {
  loading: ["running", "elsewhere", "fenced", "closed"],
  running: ["reloading", "elsewhere", "fenced", "closed"],
  reloading: ["running", "fenced", "closed"],
  elsewhere: ["running", "closed"],
  fenced: ["closed"],
  closed: [],
};

/** Error of a decision in each state but `running`. A refused decision leaves nothing behind. */
const REFUSALS: Readonly<Record<Exclude<ShardState, "running">, EngineFault>> = {
  loading: "DISCONNECTED",
  reloading: "DISCONNECTED",
  elsewhere: "SHARD_ELSEWHERE",
  fenced: "SHARD_FENCED",
  closed: "ENGINE_CLOSED",
};

const CLOSED_TO_INPUTS: ReadonlySet<ShardState> = new Set(["elsewhere", "fenced", "closed"]);

/**
 * An input, the function that is called if it will never run, and whether it belongs to what was decided before the shard
 * leaves.
 */
type Input = Readonly<{
  run: () => void;
  refused: ((error: OrderError) => void) | undefined;
  concludes: boolean;
}>;

/**
 * Options of {@link ShardLife}: the shard's number, how many callers may wait in its mailbox, whether the engine may
 * rely on owning the shard, and where failures are reported.
 */
type LifeOptions = Readonly<{
  shard: number;
  maxWaiting: number;
  trust: Trust;
  telemetry: Telemetry;
}>;

/**
 * The state of a shard and its mailbox. An input runs at once while the shard runs, waits while the shard is read
 * from the store, and is refused by name while the shard is leaving or elsewhere, and once it is fenced or closed.
 * Waiting inputs run in order of arrival, before any later input. While the trust of the engine has lapsed, callers are
 * refused, and other inputs wait.
 */
export class ShardLife {
  readonly #options: LifeOptions;
  #state: ShardState = "loading";
  #waiting: Input[] = [];
  /** Number of waiting inputs that come from callers. */
  #callers = 0;
  #draining = false;
  #isLeaving = false;

  constructor(options: LifeOptions) {
    this.#options = options;
  }

  get state(): ShardState {
    return this.#state;
  }

  /** Whether the shard is this engine's, and not leaving. */
  get isOwned(): boolean {
    return !this.#isClosedToInputs;
  }

  /** Error to refuse a decision with now; undefined while the shard runs. */
  get refusal(): OrderError | undefined {
    const state = this.#isLeaving ? "elsewhere" : this.#state;
    if (state === "running") return this.#trustRefusal;
    return new EngineError(REFUSALS[state], { shard: this.#options.shard });
  }

  /**
   * Refuses every input from now on, until the shard runs again: the shard goes to another node, which receives quotes,
   * reports and timers of its own. What is decided already still becomes durable, and what concludes it still runs.
   */
  leave(): void {
    this.#isLeaving = true;
    const all = this.#empty();
    this.#waiting = all.filter(({ concludes }) => concludes);
    for (const { refused } of all) this.#refuse(refused);
  }

  /** Whether no input waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Takes a step of {@link NEXT_STATES}. Waiting inputs run when the shard runs, and are refused when it never will.
   */
  enter(next: ShardState): void {
    const { shard } = this.#options;
    const allowed = NEXT_STATES[this.#state].includes(next) && !(this.#draining && next === "reloading");
    invariant(allowed, "I65", `shard ${shard} went from ${this.#state} to ${next}`);
    // A shard that is read again in the middle of leaving goes on leaving.
    if (next !== "running" && next !== "reloading") this.#isLeaving = false;
    this.#state = next;
    if (next === "running") this.resume();
    else if (next !== "reloading") this.#refuseWaiting();
  }

  /**
   * Runs the inputs that wait, if the shard runs and the engine may rely on owning it. If it may not, callers among them
   * are refused, so that none waits for a renewal that may never come.
   */
  resume(): void {
    if (this.#state !== "running" || this.#draining || this.#waiting.length === 0) return;
    if (this.#options.trust.holds) this.#drain();
    else this.#suspend([]);
  }

  /** Runs an input now, or when the shard runs. Calls `refused` if it never will. */
  post(run: () => void, refused?: (error: OrderError) => void): void {
    this.#add({ run, refused, concludes: false });
  }

  /**
   * Runs an input as {@link post} does, and also while the shard leaves: it belongs to what was decided before. Then too it
   * waits for trust, and for the inputs that wait already.
   */
  conclude(run: () => void): void {
    this.#add({ run, refused: undefined, concludes: true });
  }

  #add(input: Input): void {
    const { run, refused, concludes } = input;
    if (concludes ? CLOSED_TO_INPUTS.has(this.#state) : this.#isClosedToInputs) return this.#refuse(refused);
    if (this.#state === "running" && !this.#draining) {
      if (this.#waiting.length === 0 && this.#options.trust.holds) return run();
      const refusal = refused && this.#trustRefusal;
      if (refusal !== undefined) return refused?.(refusal);
    }
    // Inputs that the engine must not lose wait without a bound. Callers are many and can retry.
    if (refused !== undefined && ++this.#callers > this.#options.maxWaiting) {
      this.#callers--;
      return refused(new EngineError("DISCONNECTED"));
    }
    this.#waiting.push(input);
    // Trust may hold again without a renewal: the wall clock was set forward and back.
    if (this.#options.trust.holds) this.resume();
  }

  /**
   * Runs the waiting inputs. Inputs posted meanwhile come last. A failing input is reported and does not keep the
   * others from running. Trust may lapse in the middle of many inputs; the others then wait again.
   */
  #drain(): void {
    const { trust } = this.#options;
    this.#draining = true;
    for (let batch = this.#empty(); batch.length > 0; batch = this.#empty()) {
      for (const [index, { run, refused, concludes }] of batch.entries()) {
        if (this.#state !== "running" || (this.#isLeaving && !concludes)) this.#refuse(refused);
        else if (trust.holds) this.#attempt(run);
        else {
          this.#suspend(batch.slice(index));
          this.#draining = false;
          return;
        }
      }
    }
    this.#draining = false;
  }

  /** Lets inputs wait, before those that wait already, and refuses the callers among all of them. */
  #suspend(first: readonly Input[]): void {
    const all = [...first, ...this.#empty()];
    this.#waiting = all.filter(({ refused }) => refused === undefined);
    for (const { refused } of all) refused?.(untrusted());
  }

  /** Whether no input will run in this state. */
  get #isClosedToInputs(): boolean {
    return this.#isLeaving || CLOSED_TO_INPUTS.has(this.#state);
  }

  #attempt(run: () => void): void {
    try {
      run();
    } catch (error) {
      const { shard, telemetry } = this.#options;
      telemetry.event("error", "input.failed", { shard, message: String(error) });
    }
  }

  get #trustRefusal(): OrderError | undefined {
    return this.#options.trust.holds ? undefined : untrusted();
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

const untrusted = (): OrderError => new EngineError("DISCONNECTED", { lease: "lapsed" });

/** What a shard needs to go on from: its memory, and the counters that its records have left. */
export type Followed = Readonly<Following>;

type Following = Pick<Replayed, "counter" | "acceptances" | "lastMs" | "sequence"> & { memory: ShardMemory };

/**
 * The memory of a shard that another engine owns, kept up to its last record that was read. It holds what the owner holds
 * in memory: the open parents, and ended legs of open lists.
 */
export class ShardFollower {
  readonly number: number;
  readonly #core: Core;
  #followed: Following = { memory: new ShardMemory(), sequence: 0, counter: 0, acceptances: 0 };
  #isFollowing = true;

  constructor(number: number, core: Core) {
    this.number = number;
    this.#core = core;
  }

  /** Sequence of the last record that was read. */
  get durableSequence(): number {
    return this.#followed.sequence;
  }

  /** A shard that is followed is never fenced. */
  get state(): ShardState {
    return "running";
  }

  get followed(): Followed {
    return this.#followed;
  }

  /** The parents in memory, and the accounts that own them. It is replaced by `load`. */
  get memory(): ShardMemory {
    return this.#followed.memory;
  }

  /** Whether it takes records. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Takes the state of a shard that this node has run until now, and no record until {@link resume}. */
  hold(followed: Followed): void {
    this.#followed = { ...followed };
    this.#isFollowing = false;
  }

  /** Takes records again. */
  resume(): void {
    this.#isFollowing = true;
  }

  /** Returns the state, and forgets it: this node runs the shard from now on. */
  takeFollowed(): Followed {
    const followed = this.#followed;
    this.#followed = { memory: new ShardMemory(), sequence: 0, counter: 0, acceptances: 0 };
    return followed;
  }

  /** Starts a capture of the present state, for a verification. */
  capture(): ParentCapture {
    const { memory, sequence } = this.#followed;
    return memory.capture(sequence);
  }

  /** Builds the memory from snapshot and records. Rejects when the store cannot be read. */
  async load(store: ShardReads): Promise<void> {
    const { turns } = this.#core;
    const { sequence: until, forgotten = 0 } = await store.head(this.number);
    const executions = executionReader(this.#core, this.number);
    const state = await replayShard(store, { shard: this.number, until, forgotten, turns, executions });
    const memory = new ShardMemory();
    await memory.remember(state.parents, this.#core);
    const { sequence, counter, acceptances, lastMs } = state;
    this.#followed = { memory, sequence, counter, acceptances, lastMs };
  }

  /** Whether the record is the one after the last that was read. */
  isNext({ sequence }: JournalRecord): boolean {
    return sequence === this.#followed.sequence + 1;
  }

  /**
   * Applies the next record, and returns the parents that it changed. Throws an InvariantError I53 if it does not continue
   * the state of a parent.
   */
  apply(record: JournalRecord): readonly LiveOrder[] {
    const changed: ParentOrder[] = [];
    for (const change of record.changes) {
      const order = this.#after(record, change);
      if (order === undefined) continue;
      changed.push(order);
      this.#core.executions.note(order, change.facts);
    }
    const { memory } = this.#followed;
    for (const order of changed) memory.take(order);
    const live = changed.map((order) => memory.show(order));
    for (const one of live) memory.retire(one);
    this.#followed.sequence = record.sequence;
    this.#followed.lastMs = record.timeMs;
    return live;
  }

  /** Returns a parent after a change; undefined for one that has ended before, whose row the owner keeps. */
  #after(record: JournalRecord, change: ParentChange): ParentOrder | undefined {
    const { orderId, previous, facts } = change;
    const [first] = facts;
    const before = this.#followed.memory.liveOrders.get(orderId)?.durable;
    invariant(
      before === undefined || before.lastSequence === previous,
      "I53",
      `record ${record.sequence} of shard ${record.shard} continues parent ${orderId} from record ${previous}, which is not its last`,
    );
    if (before === undefined && first?.kind !== "ACCEPTED") return undefined;
    const after = evolveAll(before, change, record);
    if (first?.kind === "ACCEPTED") {
      countAccepted(this.#followed, orderId, first);
      this.#core.clientIds.add(first.accountId, first.intent.clientOrderId);
    }
    return after;
  }
}
