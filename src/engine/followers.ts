import type { Quantity } from "../decimal/index.ts";
import type { Slot } from "./core.ts";
import type { VolumeTape } from "./volume-tape.ts";

/**
 * The POV parents of every instrument, and the executed volume each may follow: a child follows somebody else's trade,
 * at most one each (decision 30). After a restart only trades from then on are followed; the volume itself is durable.
 */
export class Followers {
  readonly #tape: VolumeTape;
  readonly #slots: Map<string, Set<Slot>> = new Map();

  constructor(tape: VolumeTape) {
    this.#tape = tape;
  }

  /** Follows a parent from now on if it takes part in volume, for as long as it has not ended. */
  keep(slot: Slot): void {
    const { intent, ended } = slot.working;
    if (intent.participationBips === undefined) return;
    if (ended !== undefined) return this.drop(slot);
    slot.followedTo ??= this.#tape.position(intent.symbol);
    const slots = this.#slots.get(intent.symbol) ?? new Set();
    this.#slots.set(intent.symbol, slots.add(slot));
  }

  drop(slot: Slot): void {
    this.#slots.get(slot.working.intent.symbol)?.delete(slot);
  }

  /** The POV parents of an instrument. */
  of(symbol: string): readonly Slot[] {
    return [...(this.#slots.get(symbol) ?? [])];
  }

  /** All executed volume of the market, when there is a trade that the parent has not followed; else undefined. */
  volumeFor(slot: Slot): Quantity | undefined {
    const { intent, executions } = slot.working;
    if (intent.participationBips === undefined || slot.followedTo === undefined) return undefined;
    const isNew = this.#tape.hasExternal(intent.symbol, {
      position: slot.followedTo,
      own: (id) => executions.has(id),
    });
    return isNew ? this.#tape.total(intent.symbol) : undefined;
  }

  /** A child was intended: it follows every trade up to now. */
  followed(slot: Slot): void {
    slot.followedTo = this.#tape.position(slot.working.intent.symbol);
  }
}
