import type { Quantity } from "../../decimal/index.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { VolumeTape } from "../market/volume-tape.ts";

/**
 * The POV parents of every instrument, and the executed volume each may follow: a child follows somebody else's trade,
 * at most one each (decision 30). After a restart only trades from then on are followed; the volume itself is durable.
 */
export class PovParticipants {
  readonly #tape: VolumeTape;
  readonly #liveOrders: Map<string, Set<LiveOrder>> = new Map();

  constructor(tape: VolumeTape) {
    this.#tape = tape;
  }

  /** Follows a parent from now on if it takes part in volume, for as long as it has not ended. */
  keep(live: LiveOrder): void {
    const { intent, ended } = live.working;
    if (intent.participationBips === undefined) return;
    if (ended !== undefined) return this.drop(live);
    live.followedTo ??= this.#tape.position(intent.symbol);
    const liveOrders = this.#liveOrders.get(intent.symbol) ?? new Set();
    this.#liveOrders.set(intent.symbol, liveOrders.add(live));
  }

  drop(live: LiveOrder): void {
    this.#liveOrders.get(live.working.intent.symbol)?.delete(live);
  }

  /** The POV parents of an instrument. */
  of(symbol: string): readonly LiveOrder[] {
    return [...(this.#liveOrders.get(symbol) ?? [])];
  }

  /** All executed volume of the market, when there is a trade that the parent has not followed; else undefined. */
  volumeFor(live: LiveOrder): Quantity | undefined {
    const { intent, executions } = live.working;
    if (intent.participationBips === undefined || live.followedTo === undefined) return undefined;
    const isNew = this.#tape.hasExternal(intent.symbol, {
      position: live.followedTo,
      own: (id) => executions.has(id),
    });
    return isNew ? this.#tape.total(intent.symbol) : undefined;
  }

  /** A child was intended: it follows every trade up to now. */
  followed(live: LiveOrder): void {
    live.followedTo = this.#tape.position(live.working.intent.symbol);
  }
}
