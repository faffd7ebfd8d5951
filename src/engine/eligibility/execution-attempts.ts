import type { Quantity } from "../../decimal/index.ts";
import {
  type ExecutionAttempt,
  executableLevels,
  type ParentEvent,
  protectiveFirst,
} from "../../lifecycle/index.ts";
import { type Cause, type Fact, type ParentOrder, type Quote, stampOf } from "../../model/index.ts";
import { type Activated, type Fired, IdMap } from "../../triggers/index.ts";
import type { QuoteNow } from "../core/api.ts";
import type { PrintUpdate } from "../core/events.ts";
import { awaitsLookUp, ifLost, type LiveOrder, offerPrint, serve, successorOf } from "../core/live-order.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shard } from "../shards/shard.ts";
import type { Bursts } from "../time/bursts.ts";
import type { Arming } from "./arming.ts";
import type { ExposureTracker } from "./exposure-tracker.ts";
import type { Eligibility, StallWatch } from "./stall-watch.ts";

/**
 * Parents that wait for an offer. An account has its turn with other accounts, and its parents that reduce a position go first.
 * A parent waits once, for the newest cause, so that what waits does not grow with the causes.
 */
export class DueOffers<T> {
  readonly #bursts: Bursts;
  readonly #offer: (live: LiveOrder, cause: T) => void;
  /** By account: those of which none has had its turn. */
  readonly #due: Map<number, Map<LiveOrder, T>> = new Map();

  constructor(bursts: Bursts, offer: (live: LiveOrder, cause: T) => void) {
    this.#bursts = bursts;
    this.#offer = offer;
  }

  add(liveOrders: readonly LiveOrder[], cause: T): void {
    const begun: number[] = [];
    for (const live of liveOrders) {
      const { accountId } = live.working;
      const due = this.#due.get(accountId) ?? new Map<LiveOrder, T>();
      if (due.size === 0) begun.push(accountId);
      this.#due.set(accountId, due.set(live, cause));
    }
    for (const accountId of begun) this.#bursts.add("attempts", accountId, this.#offerAll(accountId));
  }

  *#offerAll(accountId: number): Generator<number, void> {
    const due = [...(this.#due.get(accountId) ?? [])];
    this.#due.delete(accountId);
    for (const isReducing of [true, false])
      for (const [live, cause] of due) {
        if (live.working.intent.reduceOnly !== isReducing) continue;
        this.#offer(live, cause);
        yield 1;
      }
  }
}

/** Why a parent attempts an execution. */
type AttemptCause =
  | Readonly<{ kind: "FIRED"; fired: Fired; quote: Quote }>
  | Readonly<{ kind: "PRINTED"; print: PrintUpdate }>
  | Readonly<{ kind: "MEASURED"; exposure: Quantity }>;

type Met = Readonly<{ fired: Fired; quote: Quote }>;

type Observed = NonNullable<ReturnType<MarketHub["left"]>>;

/** More fires of one quote than this are treated as a burst. */
const MANY = 64;

/**
 * Offers the market to parents when a condition is met, a trade can be followed, or an exposure becomes known. Each
 * parent gets the current inputs of a child, and looks at quotes again if it sends none.
 */
export class ExecutionAttempts {
  readonly #parts: Eligibility;
  readonly #exposure: ExposureTracker;
  readonly #arming: Arming;
  readonly #stalls: StallWatch;
  readonly #toFollow: DueOffers<PrintUpdate>;
  readonly #toAdmit: DueOffers<undefined>;

  constructor(parts: Eligibility, exposure: ExposureTracker, arming: Arming, stalls: StallWatch) {
    this.#parts = parts;
    this.#exposure = exposure;
    this.#arming = arming;
    this.#stalls = stalls;
    this.#toFollow = new DueOffers(parts.bursts, (live, print) => this.#follow(live, print));
    this.#toAdmit = new DueOffers(parts.bursts, (live) => this.#admit(live));
  }

  /**
   * Offers a quote to the parents whose watchers left the book. The protective leg of a pair goes first. In a burst,
   * parents that reduce a position go first.
   */
  fired(fired: readonly Fired[], quote: Quote): void {
    this.#parts.bursts.add("attempts", quote.symbol, this.#meetAll(fired, quote));
  }

  *#meetAll(fired: readonly Fired[], quote: Quote): Generator<number, void> {
    const orderOf = (orderId: number): ParentOrder | undefined => this.#parts.shards.live(orderId)?.working;
    const isBurst = fired.length > MANY;
    const ordered = protectiveFirst(fired, orderOf, isBurst ? yield* byId(fired) : undefined);
    for (const one of isBurst ? yield* reducingFirst(ordered, orderOf) : ordered) {
      this.#meet(one, quote);
      yield 1;
    }
  }

  #meet(fired: Fired, quote: Quote, isAgain = false): void {
    const shard = this.#shardOf(fired.orderId);
    const before = shard.liveOrders.get(fired.orderId);
    const next = before && successorOf(before);
    const input = (): void => {
      const live = shard.liveOrders.get(fired.orderId);
      // It was replaced while the fire waited, for example by an append that seemed to fail.
      if (live === undefined) return void (next && this.#meetNext(next, before.working, { fired, quote }));
      const successor = successorOf(live);
      if (successor !== undefined) return this.#passOn(live, successor, { fired, quote });
      if (live.working.intent.trailing !== undefined && live.working.activation === undefined) {
        // The activation behind this fire was lost with an append, and is decided again before the fire.
        if (shard.activating.has(fired.orderId)) return this.#meet(fired, quote, true);
        return void this.#arming.arm(live);
      }
      // If its shard was read again meanwhile, it was put into the book as before the fire.
      this.#arming.unwatch(live);
      this.#offer(live, { kind: "FIRED", fired, quote });
    };
    // A quote that met an order before its shard leaves counts there: the next owner may not meet that price.
    if (isAgain || shard.isOwned) shard.conclude(input);
  }

  /**
   * Passes the fire of a parent that is being replaced to the one in its place, if that waits for the same and so is met by it:
   * until that record is durable, the account is never without its level, and nobody was told the new one. If the store does
   * not keep the record, the quote counts for the parent itself.
   */
  #passOn(live: LiveOrder, successor: ParentOrder, { fired, quote }: Met): void {
    this.#arming.unwatch(live);
    ifLost(live.pending, () => this.#meet(fired, quote, true));
    this.#meetNext(successor, live.working, { fired, quote });
  }

  #meetNext(next: ParentOrder, before: ParentOrder, { fired, quote }: Met): void {
    if (waitsAlike(next, before)) this.#meet({ ...fired, orderId: next.orderId }, quote, true);
  }

  /** Posts the activation of a trailing parent. */
  activated({ orderId, activation }: Activated, quote: Quote): void {
    const shard = this.#shardOf(orderId);
    const cause = { kind: "QUOTE" as const, quote: stampOf(quote) };
    shard.activate(orderId, activation, cause);
    const live = shard.liveOrders.get(orderId);
    if (live !== undefined && successorOf(live) !== undefined)
      ifLost(live.pending, () => shard.activate(orderId, activation, cause, true));
  }

  /** Offers a counted trade to the parents that take part in the volume of its market. */
  printed(print: PrintUpdate): void {
    if (!print.fresh) return;
    const { participants } = this.#parts;
    participants.printed(print);
    this.#toFollow.add(participants.of(print.symbol), print);
  }

  /** Offers the quotes that stand to parents of which it is decided which prints they may follow. */
  decided(liveOrders: readonly LiveOrder[]): void {
    this.#toAdmit.add(liveOrders, undefined);
  }

  /** Offers the quotes that stand to all parents that take part in volume: they have not followed it for some time. */
  volumeMoves(): void {
    const { participants } = this.#parts;
    for (const symbol of participants.symbols) this.decided(participants.of(symbol));
  }

  #admit(live: LiveOrder): void {
    const { orderId } = live.working;
    const { state, liveOrders: now } = this.#shardOf(orderId);
    if (state === "running" && now.get(orderId) === live) this.#arming.admit([live]);
  }

  #follow(live: LiveOrder, print: PrintUpdate): void {
    const { participants } = this.#parts;
    const { orderId } = live.working;
    const shard = this.#shardOf(orderId);
    // A parent whose shard is read again follows the trades from then on.
    if (shard.state !== "running" || live.isFollowing === true) return;
    if (participants.volumeFor(live) === undefined) return;
    offerPrint(live, true);
    shard.post(() => {
      offerPrint(live, undefined);
      if (shard.liveOrders.get(orderId) !== live || participants.volumeFor(live) === undefined) return;
      this.#offer(live, { kind: "PRINTED", print });
    });
  }

  /** Offers the measured exposure to the parent that asked for it. */
  measured(live: LiveOrder, exposure: Quantity): void {
    this.#offer(live, { kind: "MEASURED", exposure });
  }

  #offer(live: LiveOrder, cause: AttemptCause): void {
    const { working } = live;
    const { market, participants, funds } = this.#parts;
    if (this.#parts.shards.isFrozen(working)) return this.#stalls.idle(live);
    if (funds.waits(working) || awaitsLookUp(live)) return void this.#arming.arm(live);
    // A parent that waited behind a reload meets the current market. A fire keeps the quote that caused it.
    const observed = cause.kind === "FIRED" ? { quote: cause.quote, fresh: false } : undefined;
    const left = market.left(working.intent.symbol);
    const now = left ?? observed;
    if (now === undefined || this.#isServed(live, left)) return void this.#arming.arm(live);
    const measured = cause.kind === "MEASURED" ? cause.exposure : this.#exposureOf(working);
    const attempt = this.#attempt(live, measured, now);
    const event: ParentEvent =
      cause.kind === "FIRED"
        ? { kind: "FIRED", fired: cause.fired, ...attempt }
        : { kind: cause.kind, ...attempt };
    const { orderId } = working;
    const pending = this.#shardOf(orderId).change(orderId, event, causeOf(cause, now.quote));
    if (pending === undefined) {
      this.#stalls.idle(live);
      return void this.#arming.arm(live);
    }
    const isIntended = pending.steps.some(({ facts }) => facts.some(isIntent));
    if (isIntended) serve(live, left?.observation);
    if (attempt.volume !== undefined && isIntended) participants.followed(live);
    if (measured !== undefined && isIntended) this.#exposure.intended(live, measured);
    // The quote may not come again: a trigger whose record the store does not keep is decided again.
    if (cause.kind === "FIRED" && pending.steps.some(({ facts }) => facts.some(isTrigger)))
      ifLost(pending, () => this.#meet(cause.fired, cause.quote, true));
  }

  /**
   * Returns whether a parent has had its turn on the quote or heartbeat of now: a child that executed nothing goes out
   * again on a later one, and one without sizes serves each parent once. A POV parent has a turn per print.
   */
  #isServed({ servedOn, working }: LiveOrder, left: Observed | undefined): boolean {
    if (left === undefined || servedOn !== left.observation) return false;
    if (working.intent.participationBips !== undefined) return false;
    const isUnlimited = executableLevels(working, left.quote).some(({ size }) => size === undefined);
    return isUnlimited || working.consecutiveUnfilled > 0;
  }

  #attempt(live: LiveOrder, measured: Quantity | undefined, { quote, fresh }: QuoteNow): ExecutionAttempt {
    const { participants } = this.#parts;
    const volume = participants.volumeFor(live);
    return {
      quote,
      fresh,
      ...(measured === undefined ? {} : { exposure: this.#exposure.offered(live, measured) }),
      ...(volume === undefined ? {} : { volume }),
    };
  }

  #exposureOf(order: ParentOrder): Quantity | undefined {
    return order.intent.reduceOnly ? this.#exposure.immediate(order) : undefined;
  }

  #shardOf(orderId: number): Shard {
    return this.#parts.shards.ofOrder(orderId);
  }
}

/** Returns the fires by order id. */
function* byId(fired: readonly Fired[]): Generator<number, IdMap<Fired>> {
  const waiting = new IdMap<Fired>();
  for (const [index, one] of fired.entries()) {
    waiting.set(one.orderId, one);
    if (index % MANY === 0) yield 1;
  }
  return waiting;
}

/**
 * Returns the fires that reduce a position, or belong to a list that does, and then the rest. Each group keeps its
 * order.
 */
function* reducingFirst(
  fired: Iterable<Fired>,
  orderOf: (orderId: number) => ParentOrder | undefined,
): Generator<number, Iterable<Fired>> {
  const reduces = (orderId: number): boolean => {
    const order = orderOf(orderId);
    const legs = order?.list?.legs.map((leg) => orderOf(leg)) ?? [order];
    return legs.some((leg) => leg?.intent.reduceOnly === true);
  };
  const parts: Readonly<{ reducing: Fired[]; opening: Fired[] }> = { reducing: [], opening: [] };
  let observed = 0;
  for (const one of fired) {
    (reduces(one.orderId) ? parts.reducing : parts.opening).push(one);
    if (++observed % MANY === 0) yield 1;
  }
  return inARow(parts.reducing, parts.opening);
}

function* inARow(...parts: readonly (readonly Fired[])[]): Iterable<Fired> {
  for (const part of parts) yield* part;
}

function causeOf(cause: AttemptCause, now: Quote): Cause {
  if (cause.kind === "PRINTED") {
    const { price: _price, number: _number, ...print } = cause.print;
    return { kind: "PRINT", print };
  }
  return { kind: "QUOTE", quote: stampOf(cause.kind === "FIRED" ? cause.quote : now) };
}

/**
 * Returns whether an order waits for the same condition as another, by a level of its own. One that trails begins anew, and one
 * that has triggered waits for something else.
 */
const waitsAlike = ({ intent: next }: ParentOrder, { intent, trigger }: ParentOrder): boolean =>
  trigger === undefined &&
  next.type === intent.type &&
  next.side === intent.side &&
  next.trailing === undefined;

const isIntent = ({ kind }: Fact): boolean => kind === "CHILD_INTENDED";
const isTrigger = ({ kind }: Fact): boolean => kind === "TRIGGERED";
