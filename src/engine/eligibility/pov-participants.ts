import type { Quantity } from "../../decimal/index.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { VolumeTape } from "../market/volume-tape.ts";

/**
 * The POV parents of every instrument, and the executed volume that each may follow. A child follows an external
 * trade, and a parent sends at most one child per trade (decision 30). After a restart only later trades are
 * followed; the volume itself is durable.
 */
export class PovParticipants {
  readonly #tape: VolumeTape;
  readonly #liveOrders: Map<string, Set<LiveOrder>> = new Map();

  constructor(tape: VolumeTape) {
    this.#tape = tape;
  }

  /** Follows a POV parent from now on, until it has ended. */
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

  /** Returns the POV parents of an instrument. */
  of(symbol: string): readonly LiveOrder[] {
    return [...(this.#liveOrders.get(symbol) ?? [])];
  }

  /** Returns when the newest open POV parent of an instrument was accepted; undefined if there is none. */
  newestAcceptedAtMs(symbol: string): number | undefined {
    const accepted = this.of(symbol).map(({ working }) => working.acceptedAtMs);
    return accepted.length === 0 ? undefined : accepted.reduce((newest, ms) => Math.max(newest, ms));
  }

  /**
   * Returns all executed volume of the market, measured as at the parent's admission, if there is a trade that the parent
   * has not followed; else undefined.
   */
  volumeFor(live: LiveOrder): Quantity | undefined {
    const { intent, executions, volumeLogged } = live.working;
    if (intent.participationBips === undefined || live.followedTo === undefined) return undefined;
    const isNew = this.#tape.hasExternal(intent.symbol, {
      position: live.followedTo,
      own: (id) => executions.names(id),
    });
    if (!isNew) return undefined;
    return volumeLogged === true ? this.#tape.loggedTotal(intent.symbol) : this.#tape.total(intent.symbol);
  }

  /** Marks all trades up to now as followed: a child was intended. */
  followed(live: LiveOrder): void {
    live.followedTo = this.#tape.position(live.working.intent.symbol);
  }
}
