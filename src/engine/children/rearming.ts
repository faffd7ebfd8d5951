import type { Slicer } from "../../common/index.ts";
import type { ReadonlyIdMap } from "../../triggers/index.ts";
import { clearWork, followTo, type LiveOrder, serve } from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";
import type { Arming } from "../eligibility/arming.ts";
import type { ExposureTracker } from "../eligibility/exposure-tracker.ts";
import type { Eligibility } from "../eligibility/stall-watch.ts";
import type { Shard } from "../shards/shard.ts";
import type { ChildOrderManager } from "./child-order-manager.ts";

/** Parents that are let go, armed or recovered in one step. This is as much work as one decision. */
const PARENTS_PER_STEP = 4;

/**
 * Brings trigger book, timers and look-ups in step with the rebuilt memory of a shard. It works in turns, however
 * many parents the shard has. A parent of which everything decided was durable is watched all the time. What parents meet
 * meanwhile goes to the shard's mailbox, and the shard applies it to the parent's current state.
 */
export class Rearming {
  readonly #parts: Eligibility;
  readonly #exposure: ExposureTracker;
  readonly #arming: Arming;
  readonly #children: ChildOrderManager;

  constructor(parts: Eligibility, exposure: ExposureTracker, arming: Arming, children: ChildOrderManager) {
    this.#parts = parts;
    this.#exposure = exposure;
    this.#arming = arming;
    this.#children = children;
  }

  /** Arms an open parent that was read from the store. */
  arm(live: LiveOrder): void {
    this.#parts.participants.track(live);
    this.#exposure.track(live);
    this.#arming.rearm(live);
  }

  /** Rearms a shard whose memory replaces the one that held `before`. */
  reloaded(shard: Shard, before: ReadonlyIdMap<LiveOrder>): void {
    this.#parts.bursts.add("quotes", `shard ${shard.number}`, this.#steps(shard, before));
  }

  /** Whether parents of the shard wait to be let go, armed or recovered. */
  isBusy(shard: Shard): boolean {
    return this.#parts.bursts.has("quotes", `shard ${shard.number}`);
  }

  /**
   * Stops watching the parents of a shard that another node runs from now on. Resolves when they are as a follower of the shard
   * would have made them.
   */
  async releaseAll(shard: Shard, parents: ReadonlyIdMap<LiveOrder>, turns: Slicer): Promise<void> {
    for (const live of parents.values()) {
      this.#release(shard, live);
      clearWork(live);
      const turn = turns.spend(COSTS.arm);
      if (turn !== undefined) await turn;
    }
  }

  *#steps(shard: Shard, before: ReadonlyIdMap<LiveOrder>): Generator<number, void> {
    const { memory } = shard;
    const isNow = (): boolean => shard.memory === memory;
    // The shard may be read once more before these steps are over: each parent is replaced by what is in memory in its turn.
    yield* inSteps(before.values(), (live) => {
      const now = runsHere(shard) ? shard.liveOrders.get(live.working.orderId) : undefined;
      if (now !== undefined && isDurable(live)) return this.#replace(live, now);
      this.#release(shard, live);
      if (now === undefined) return this.#parts.participants.release(live);
      if (live.servedOn !== undefined) serve(now, live.servedOn);
      this.arm(now);
    });
    yield* inSteps(memory.liveOrders.values(), (live) => this.arm(live), isNow);
    yield* inSteps(memory.liveOrders.values(), (live) => this.#children.recover(live), isNow);
  }

  /** Arms a parent in the place of the one that was in memory before, which stays in the trigger book. */
  #replace(before: LiveOrder, now: LiveOrder): void {
    this.#parts.participants.drop(before);
    if (now.followedTo === undefined && before.followedTo !== undefined) followTo(now, before.followedTo);
    if (before.servedOn !== undefined) serve(now, before.servedOn);
    this.arm(now);
    this.#arming.cancelTimers(before);
  }

  #release(shard: Shard, live: LiveOrder): void {
    this.#parts.participants.drop(live);
    this.#arming.disarm(live);
    if (runsHere(shard)) return;
    this.#parts.participants.release(live);
    this.#children.unfollow(live);
  }
}

const runsHere = ({ state }: Shard): boolean => state !== "fenced" && state !== "elsewhere";

/**
 * Returns whether everything that was decided of a parent was durable when its shard was read again. The store then has the same
 * state of it, and what the trigger book has of it is right, also the reference of one that trails: marks of a failed append are
 * appended again.
 */
const isDurable = ({ working, durable }: LiveOrder): boolean => durable === working;

/** Runs a function for each live order, in steps, for as long as `goesOn` returns true. */
function* inSteps(
  liveOrders: Iterable<LiveOrder>,
  run: (live: LiveOrder) => void,
  goesOn: () => boolean = () => true,
): Generator<number, void> {
  let done = 0;
  for (const live of liveOrders) {
    if (!goesOn()) return;
    run(live);
    if (++done % PARENTS_PER_STEP === 0) yield 1;
  }
}
