import type { Arming } from "./arming.ts";
import type { Bursts } from "./bursts.ts";
import type { ChildDesk } from "./child-desk.ts";
import type { Slot } from "./core.ts";
import type { Followers } from "./followers.ts";
import type { Shard } from "./shard.ts";
import type { ShardMemory } from "./shard-memory.ts";

/** What keeps something of open parents outside the memory of their shard. */
export type RearmingParts = Readonly<{
  bursts: Bursts;
  followers: Followers;
  arming: Arming;
  desk: ChildDesk;
}>;

/** Parents that are let go, armed or looked at in one step: as much work as one decision. */
const PARENTS_PER_STEP = 4;

/**
 * Brings trigger book, timers and look-ups in step with the memory of a shard that was made again: in turns, however many
 * parents it has. Those that have not had theirs are watched as before; what they meet meanwhile comes to the shard's
 * mailbox, which meets it with the parent as it is now.
 */
export class Rearming {
  readonly #parts: RearmingParts;

  constructor(parts: RearmingParts) {
    this.#parts = parts;
  }

  /** An open parent came out of the store. */
  arm(slot: Slot): void {
    this.#parts.followers.keep(slot);
    this.#parts.arming.rearm(slot);
  }

  /** The memory of the shard is another one than `before`. */
  reloaded(shard: Shard, before: ShardMemory): void {
    this.#parts.bursts.add("quotes", `shard ${shard.number}`, this.#steps(shard, before));
  }

  *#steps(shard: Shard, before: ShardMemory): Generator<number, void> {
    const { memory } = shard;
    yield* inSteps(before.slots.values(), (slot) => this.#letGo(shard, slot));
    const isNow = (): boolean => shard.memory === memory;
    yield* inSteps(memory.slots.values(), (slot) => this.arm(slot), isNow);
    yield* inSteps(memory.slots.values(), (slot) => this.#parts.desk.recover(slot), isNow);
  }

  #letGo(shard: Shard, slot: Slot): void {
    this.#parts.followers.drop(slot);
    this.#parts.arming.disarm(slot);
    if (shard.state === "fenced") this.#parts.desk.letGo(slot);
  }
}

/** Does something with each, for as long as it goes on. */
function* inSteps(
  slots: Iterable<Slot>,
  run: (slot: Slot) => void,
  goesOn: () => boolean = () => true,
): Generator<number, void> {
  let done = 0;
  for (const slot of slots) {
    if (!goesOn()) return;
    run(slot);
    if (++done % PARENTS_PER_STEP === 0) yield 1;
  }
}
