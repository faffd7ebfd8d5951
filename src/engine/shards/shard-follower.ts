import { invariant } from "../../errors/index.ts";
import { evolveAll } from "../../lifecycle/index.ts";
import type { JournalRecord, ParentChange, ParentOrder } from "../../model/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { ShardReads } from "../core/stored.ts";
import type { ParentCapture } from "./parent-capture.ts";
import { countAccepted, executionReader, type Replayed, replayShard } from "./replay.ts";
import { ShardMemory } from "./shard-memory.ts";
import type { ShardState } from "./shard-state.ts";

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
