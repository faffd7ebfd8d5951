import { add, hasExecuted, type Quantity, roundedUp, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { OwnFillsInPrints } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder, OthersVolume } from "../core/live-order.ts";
import type { VolumeTape } from "../market/volume-tape.ts";

/** Most times of which it is remembered what a parent had executed. Later ones are taken together. */
const MOST_TIMES = 64;

/**
 * The POV parents of every instrument, and the executed volume that each may follow. A child follows an external
 * trade, and a parent sends at most one child per trade (decision 30). After a restart only later trades are
 * followed; the volume itself is durable.
 */
export class PovParticipants {
  readonly #core: Core;
  readonly #tape: VolumeTape;
  readonly #ownFills: OwnFillsInPrints;
  readonly #liveOrders: Map<string, Set<LiveOrder>> = new Map();

  constructor(core: Core, tape: VolumeTape, ownFills: OwnFillsInPrints = "by-execution-id") {
    this.#core = core;
    this.#tape = tape;
    this.#ownFills = ownFills;
  }

  /** Follows a POV parent from now on, until it has ended. */
  keep(live: LiveOrder): void {
    const { intent, ended } = live.working;
    if (intent.participationBips === undefined) return;
    if (ended !== undefined) return this.drop(live);
    live.followedTo ??= this.#tape.position(intent.symbol);
    if (this.#ownFills === "other-id") live.others ??= this.#othersOf(live);
    const liveOrders = this.#liveOrders.get(intent.symbol) ?? new Set();
    this.#liveOrders.set(intent.symbol, liveOrders.add(live));
  }

  drop(live: LiveOrder): void {
    this.#liveOrders.get(live.working.intent.symbol)?.delete(live);
  }

  /** The instruments that have had POV parents. */
  get symbols(): readonly string[] {
    return [...this.#liveOrders.keys()];
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
   * Returns all executed volume of the market, own fills included, measured as at the parent's admission, if there is a trade
   * of others that the parent has not followed; else undefined. While prints wait for an append without an answer, nothing is
   * followed: the volume must not be less after a crash.
   */
  volumeFor(live: LiveOrder): Quantity | undefined {
    const { intent, executions, executedQuantity } = live.working;
    if (intent.participationBips === undefined || live.followedTo === undefined) return undefined;
    if (this.#tape.isAside) return undefined;
    const certain = live.others === undefined ? ZERO_QUANTITY : this.#printedOf(live, live.others);
    const own = (id: string): boolean => this.#ownFills === "by-execution-id" && executions.names(id);
    if (!this.#tape.hasExternal(intent.symbol, { position: live.followedTo, own })) return undefined;
    const printed = this.#printed(live);
    if (printed === undefined) return undefined;
    if (this.#ownFills === "none") return add(printed, executedQuantity);
    return live.others === undefined || this.#haveTraded(live, printed, certain) ? printed : undefined;
  }

  /** Marks all trades up to now as followed: a child was intended. */
  followed(live: LiveOrder): void {
    live.followedTo = this.#tape.position(live.working.intent.symbol);
    const printed = this.#printed(live);
    if (live.others === undefined || printed === undefined) return;
    live.others.followed = subtract(printed, this.#printedOf(live, live.others));
  }

  #printed({ working: { intent, volumeLogged } }: LiveOrder): Quantity | undefined {
    return volumeLogged === true ? this.#tape.loggedTotal(intent.symbol) : this.#tape.total(intent.symbol);
  }

  /** How long after an execution its print may still be fresh. */
  get #printMs(): number {
    return this.#core.settings.quoteMaxAgeMs + this.#core.settings.quoteMaxAheadMs;
  }

  #othersOf(live: LiveOrder): OthersVolume {
    const { executedQuantity: quantity, child } = live.working;
    const atMs = this.#core.monotonicMs();
    if (!hasExecuted(live.working) && child === undefined)
      return { followed: this.#printed(live), knownFromMs: atMs, executed: [] };
    return { followed: undefined, knownFromMs: atMs + this.#printMs, executed: [{ atMs, quantity }] };
  }

  /**
   * Returns whether others have certainly traded since the parent last followed them. What it has executed counts as printed,
   * though its prints may still come: if they were taken for those of others, it would follow itself.
   */
  #haveTraded({ working, others }: LiveOrder, printed: Quantity, certain: Quantity): boolean {
    if (others?.followed !== undefined) return subtract(printed, roundedUp(working)) > others.followed;
    const isKnown = others !== undefined && this.#core.monotonicMs() >= others.knownFromMs;
    if (isKnown) others.followed = subtract(printed, certain);
    return false;
  }

  /** Returns what the parent has executed so long ago that it was certainly printed, or never will be. */
  #printedOf({ working }: LiveOrder, { executed }: OthersVolume): Quantity {
    const atMs = this.#core.monotonicMs();
    const { executedQuantity: quantity } = working;
    if (quantity > (executed.at(-1)?.quantity ?? ZERO_QUANTITY)) {
      if (executed.length === MOST_TIMES) executed.pop();
      executed.push({ atMs, quantity });
    }
    const isOld = (index: number): boolean => (executed[index]?.atMs ?? atMs) <= atMs - this.#printMs;
    while (isOld(1)) executed.shift();
    return isOld(0) ? (executed[0]?.quantity ?? ZERO_QUANTITY) : ZERO_QUANTITY;
  }
}
