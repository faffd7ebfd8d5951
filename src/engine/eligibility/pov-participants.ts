import { add, hasExecuted, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ParentOrder, PricedPrint } from "../../model/index.ts";
import type { OwnFillsInPrints } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";
import { followOthers, followTo, knowOthers, type LiveOrder, type OthersVolume } from "../core/live-order.ts";
import type { VolumeTape } from "../market/volume-tape.ts";

/** Most prints of one market that may be undecided. The oldest count as foreign from then on. */
const MOST_DOUBTFUL = 4_096;

type OpenChild = Readonly<{
  childId: string;
  quantity: Quantity;
  position: number;
}>;

/** Whether an id is that of an execution of this engine, and how long a print may be undecided. */
type PrintNames = Readonly<{
  isOwn: (id: string) => boolean;
  doubtMs: number;
}>;

/**
 * The fresh prints of one market in the order in which they are told, and which of them are foreign: of other participants. A
 * print that comes while a child is out may be of that child, whose execution id is not known yet: it is undecided until each
 * child is resolved whose intent was durable before it.
 */
export class ForeignPrints {
  readonly #names: PrintNames;
  /** Children that are out, by parent, with the number of prints before them. */
  readonly #open: Map<number, OpenChild> = new Map();
  readonly #doubtful: Fifo<Readonly<{ id: string; position: number; atMs: number }>> = new Fifo();
  #position = 0;
  #newest = 0;
  #openQuantity = ZERO_QUANTITY;

  constructor(names: PrintNames) {
    this.#names = names;
  }

  /** The number of prints. */
  get position(): number {
    return this.#position;
  }

  /** The number of the newest print that is foreign. */
  get newest(): number {
    return this.#newest;
  }

  /** The number of the newest print that is undecided. */
  get newestDoubtful(): number {
    return this.#doubtful.last?.position ?? 0;
  }

  /** What the children ask for that are out. */
  get openQuantity(): Quantity {
    return this.#openQuantity;
  }

  /** Adds a print at a time, by the monotonic clock. */
  add(id: string, atMs: number): void {
    this.#position++;
    this.#doubtful.push({ id, position: this.#position, atMs });
    this.#decide(atMs);
  }

  /** Notes the child of a parent that is out, or that it has none. Returns whether undecided prints may be decided now. */
  track(
    { orderId, child }: Pick<ParentOrder, "orderId" | "child">,
    core: Pick<Core, "monotonicMs">,
  ): boolean {
    const before = this.#open.get(orderId);
    if (before?.childId === child?.childId) return false;
    const oldest = this.#oldest;
    if (before !== undefined) this.#openQuantity = subtract(this.#openQuantity, before.quantity);
    this.#open.delete(orderId);
    if (child !== undefined) {
      const { childId, quantity } = child;
      this.#open.set(orderId, { childId, quantity, position: this.#position });
      this.#openQuantity = add(this.#openQuantity, quantity);
    }
    if (before === undefined || this.#oldest === oldest) return false;
    this.#decide(core.monotonicMs());
    return true;
  }

  /** The number of prints before the oldest child that is out. */
  get #oldest(): number {
    for (const { position } of this.#open.values()) return position;
    return Number.POSITIVE_INFINITY;
  }

  #decide(nowMs: number): void {
    const oldest = this.#oldest;
    const { isOwn, doubtMs } = this.#names;
    for (let { first } = this.#doubtful; first !== undefined; { first } = this.#doubtful) {
      const isOld = nowMs - first.atMs >= doubtMs || this.#doubtful.size > MOST_DOUBTFUL;
      if (first.position > oldest && !isOld) return;
      this.#doubtful.shift();
      if (!isOwn(first.id)) this.#newest = first.position;
    }
  }
}

/** `waiting` are parents for which a print was undecided when they looked at it. */
type Followed = Readonly<{
  prints: ForeignPrints;
  liveOrders: Set<LiveOrder>;
  waiting: Set<LiveOrder>;
}>;

/**
 * The POV parents of every instrument, and the executed volume that each may follow. A child follows a print of another
 * participant, of no child of this engine whatever its account, and a parent sends at most one child per print. After a
 * restart only later prints are followed; the volume itself is durable.
 */
export class PovParticipants {
  readonly #core: Core;
  readonly #tape: VolumeTape;
  readonly #ownFills: OwnFillsInPrints;
  readonly #markets: Map<string, Followed> = new Map();
  #decided: LiveOrder[] = [];

  constructor(core: Core, tape: VolumeTape, ownFills: OwnFillsInPrints = "by-execution-id") {
    this.#core = core;
    this.#tape = tape;
    this.#ownFills = ownFills;
  }

  /** Notes the child of a parent that is out. Follows a POV parent from now on, until it has ended. */
  track(live: LiveOrder): void {
    const { intent, ended } = live.working;
    const market = this.#marketOf(intent.symbol);
    const order = live.durable ?? live.working;
    if (market.prints.track(order, this.#core)) this.#decide(market);
    if (intent.participationBips === undefined) return;
    if (ended !== undefined) return this.drop(live);
    if (live.followedTo === undefined) followTo(live, market.prints.position);
    if (this.#ownFills === "other-id" && live.others === undefined) knowOthers(live, this.#othersOf(live));
    market.liveOrders.add(live);
  }

  drop(live: LiveOrder): void {
    const market = this.#markets.get(live.working.intent.symbol);
    market?.liveOrders.delete(live);
    market?.waiting.delete(live);
  }

  /** Drops a parent that is not here any more, with its child. */
  release(live: LiveOrder): void {
    const { orderId, intent } = live.working;
    const market = this.#marketOf(intent.symbol);
    if (market.prints.track({ orderId }, this.#core)) this.#decide(market);
    this.drop(live);
  }

  /** Notes a counted print that is fresh. */
  printed({ symbol, id }: PricedPrint): void {
    const { prints, liveOrders } = this.#marketOf(symbol);
    prints.add(id, this.#core.monotonicMs());
    if (liveOrders.size > 0) this.#core.counters.activity++;
  }

  /** Takes the parents that waited for prints which are decided now. */
  takeDecided(): readonly LiveOrder[] {
    return this.#decided.splice(0);
  }

  /** The instruments that have had POV parents. */
  get symbols(): readonly string[] {
    return [...this.#markets].flatMap(([symbol, { liveOrders }]) => (liveOrders.size > 0 ? [symbol] : []));
  }

  /** Returns the POV parents of an instrument. */
  of(symbol: string): readonly LiveOrder[] {
    return [...(this.#markets.get(symbol)?.liveOrders ?? [])];
  }

  /**
   * Returns all executed volume of the market, own fills included, measured as at the parent's admission, if there is a trade
   * of others that the parent has not followed; else undefined. While prints wait for an append without an answer, nothing is
   * followed: the volume must not be less after a crash.
   */
  volumeFor(live: LiveOrder): Quantity | undefined {
    const { intent, executedQuantity } = live.working;
    if (intent.participationBips === undefined || live.followedTo === undefined) return undefined;
    if (this.#tape.isAside) return undefined;
    const { prints, waiting } = this.#marketOf(intent.symbol);
    if (live.followedTo >= prints.newest) {
      if (live.followedTo < prints.newestDoubtful) waiting.add(live);
      return undefined;
    }
    const printed = this.#printed(live);
    if (printed === undefined) return undefined;
    if (this.#ownFills === "none") return add(printed, executedQuantity);
    if (live.others === undefined || this.#haveTraded(live, printed)) return printed;
    waiting.add(live);
    return undefined;
  }

  /** Marks all trades up to now as followed: a child was intended. */
  followed(live: LiveOrder): void {
    const { symbol } = live.working.intent;
    followTo(live, this.#marketOf(symbol).prints.position);
    const printed = this.#printed(live);
    if (live.others === undefined || printed === undefined) return;
    followOthers(live.others, this.#mostOfOthers(symbol, printed));
  }

  #marketOf(symbol: string): Followed {
    const known = this.#markets.get(symbol);
    if (known !== undefined) return known;
    const { fills } = this.#core.executions;
    const market: Followed = {
      prints: new ForeignPrints({
        isOwn: (id) => this.#ownFills === "by-execution-id" && this.#isOwn(symbol, id),
        doubtMs: this.#ownFills === "by-execution-id" ? fills.printMs : 0,
      }),
      liveOrders: new Set(),
      waiting: new Set(),
    };
    this.#markets.set(symbol, market);
    return market;
  }

  /** Also one from before a restart of which a POV parent tells that it is its own. */
  #isOwn(symbol: string, id: string): boolean {
    if (this.#core.executions.fills.has(symbol, id)) return true;
    for (const { working } of this.#markets.get(symbol)?.liveOrders ?? [])
      if (working.executions.names(id)) return true;
    return false;
  }

  #decide({ waiting }: Followed): void {
    for (const live of waiting) this.#decided.push(live);
    waiting.clear();
  }

  #printed({ working: { intent, volumeLogged } }: LiveOrder): Quantity | undefined {
    return volumeLogged === true ? this.#tape.loggedTotal(intent.symbol) : this.#tape.total(intent.symbol);
  }

  #othersOf(live: LiveOrder): OthersVolume {
    const { intent, child } = live.working;
    const atMs = this.#core.monotonicMs();
    const printed = this.#printed(live);
    if (hasExecuted(live.working) || child !== undefined || printed === undefined)
      return {
        followed: undefined,
        knownFromMs: atMs + this.#core.executions.fills.printMs,
      };
    return {
      followed: this.#mostOfOthers(intent.symbol, printed),
      knownFromMs: atMs,
    };
  }

  /**
   * Returns whether others have certainly traded since the parent last followed them. What was executed here counts as printed,
   * and what the children ask for that are out, though their prints may still come: if they were taken for those of others,
   * parents would follow themselves and each other.
   */
  #haveTraded({ working, others }: LiveOrder, printed: Quantity): boolean {
    const { symbol } = working.intent;
    const own = add(this.#core.executions.fills.executed(symbol), this.#marketOf(symbol).prints.openQuantity);
    if (others?.followed !== undefined) return subtract(printed, own) > others.followed;
    const isKnown = others !== undefined && this.#core.monotonicMs() >= others.knownFromMs;
    if (isKnown) followOthers(others, this.#mostOfOthers(symbol, printed));
    return false;
  }

  /** Returns what was printed, less what was executed here so long ago that it was certainly printed, or never will be. */
  #mostOfOthers(symbol: string, printed: Quantity): Quantity {
    const { fills } = this.#core.executions;
    return subtract(printed, fills.executedBy(symbol, this.#core.monotonicMs() - fills.printMs));
  }
}
