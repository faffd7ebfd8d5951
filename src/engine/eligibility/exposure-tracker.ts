import {
  add,
  max,
  min,
  portion,
  type Quantity,
  type Scaled,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import { quantityOf } from "../../host-answers/index.ts";
import { isActive, needsTrigger, reducibleOf } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { Exposure, PositionChange } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import {
  beginMeasuring,
  cover,
  endMeasuring,
  findNothing,
  type LiveOrder,
  leaveMargin,
} from "../core/live-order.ts";
import type { Answer } from "../core/own-executions.ts";
import { type ExposureSum, reservedBy } from "../shards/account-orders.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";

/** Reduce-only parents of one account on one market whose position may be gone. */
type Watched = Readonly<{ key: string; orders: Set<number> }> & {
  cancel: () => void;
};

/** Asks for the position on the market of a parent, and passes the answer on within its shard; undefined for a failure. */
type Query = (order: ParentOrder, answered: (answer: Answer | undefined) => void) => void;

/**
 * Ends reduce-only parents whose position is gone, so that none of them reduces the next one. It is gone when two
 * measurements say so, `confirmMs` apart, both at rest: no child of the account was unresolved on that market, and nothing
 * was executed there for as long. What measures otherwise, or not at all, ends nothing.
 *
 * A parent is watched from its trigger on, from the first measurement that finds nothing, or since the host has told that its
 * position is gone; one position serves all parents of an account on a market. Nothing of this is durable: after a restart
 * it begins anew.
 */
class ExposureWatch {
  readonly #core: Core;
  readonly #timers: Timers;
  readonly #shards: Shards;
  readonly #query: Query;
  readonly #watched: Map<string, Watched> = new Map();

  constructor(core: Core, shards: Shards, timers: Timers, query: Query) {
    this.#core = core;
    this.#shards = shards;
    this.#timers = timers;
    this.#query = query;
  }

  /** Watches a parent from its trigger on, whatever else holds it back. */
  track(live: LiveOrder): void {
    if (live.working.intent.reduceOnly && hasTriggered(live.working)) this.#watch(live.working);
  }

  /** Takes note of a measured position. Call it inside the mailbox of the parent's shard. */
  measured(live: LiveOrder, { position, requestedAtMs, isSettled }: Answer): void {
    const order = live.working;
    if (reducibleOf(order.intent.side, quantityOf(position)) > 0) {
      findNothing(live, undefined);
      if (!hasTriggered(order)) this.#watched.get(keyOf(order))?.orders.delete(order.orderId);
      return;
    }
    if (!isActive(order)) return;
    this.#watch(order);
    const quietSinceMs = this.#core.executions.quietSinceMs(order);
    if (!isSettled || requestedAtMs - quietSinceMs < this.#confirmMs) return;
    const sinceMs = live.nothingSinceMs;
    if (sinceMs === undefined || sinceMs < quietSinceMs) findNothing(live, this.#core.monotonicMs());
    else if (requestedAtMs - sinceMs >= this.#confirmMs) this.#end(order);
  }

  /** Begins to confirm what the host has told: that an account has nothing any more that its orders could reduce. */
  changed({ accountId, symbol, quantity }: PositionChange): void {
    const account = this.#shards.ofAccount(accountId).accounts.get(accountId);
    for (const orderId of account?.after(0, false) ?? []) {
      const order = this.#shards.live(orderId)?.working;
      if (order === undefined || order.intent.symbol !== symbol || !isWatchable(order)) continue;
      if (reducibleOf(order.intent.side, quantity) === 0) this.#watch(order, 0);
    }
  }

  #end({ orderId }: ParentOrder): void {
    const cause = { kind: "TIMER", timer: "EXPOSURE" } as const;
    this.#shardOf(orderId).change(orderId, { kind: "NOTHING_TO_REDUCE" }, cause);
  }

  #watch(order: ParentOrder, waitMs: number = this.#confirmMs): void {
    const key = keyOf(order);
    const known = this.#watched.get(key);
    if (known !== undefined) return void known.orders.add(order.orderId);
    const watched: Watched = {
      key,
      orders: new Set([order.orderId]),
      cancel: () => undefined,
    };
    this.#watched.set(key, watched);
    this.#await(watched, waitMs);
  }

  get #confirmMs(): number {
    return this.#core.executions.lag.confirmMs;
  }

  #await(watched: Watched, waitMs: number = this.#confirmMs): void {
    watched.cancel();
    watched.cancel = this.#timers.after(waitMs, () => this.#measure(watched));
  }

  /** Measures the position of all parents that are watched together. */
  #measure(watched: Watched): void {
    const [first] = this.#ordersOf(watched);
    if (first === undefined) return void this.#watched.delete(watched.key);
    // The answer may never come: the shard of these parents may leave meanwhile.
    this.#await(watched);
    this.#query(first, (answer) => {
      if (answer !== undefined)
        for (const { orderId } of this.#ordersOf(watched)) this.#judge(orderId, answer);
      this.#await(watched);
    });
  }

  #judge(orderId: number, answer: Answer): void {
    const shard = this.#shardOf(orderId);
    const live = shard.liveOrders.get(orderId);
    if (shard.state !== "running" || live === undefined) return;
    this.measured(live, answer);
  }

  /** Returns the parents that are still to be watched, and forgets the others. */
  #ordersOf({ orders }: Watched): readonly ParentOrder[] {
    const found: ParentOrder[] = [];
    for (const orderId of orders) {
      const live = this.#shards.live(orderId);
      if (live !== undefined && isWatchable(live.working) && !this.#shards.isFrozen(live.working))
        found.push(live.working);
      else orders.delete(orderId);
    }
    return found;
  }

  #shardOf(orderId: number): Shard {
    return this.#shards.ofOrder(orderId);
  }
}

const hasTriggered = (order: ParentOrder): boolean =>
  isActive(order) && needsTrigger(order.intent.type) && order.trigger !== undefined;

const isWatchable = (order: ParentOrder): boolean => order.intent.reduceOnly && isActive(order);

const keyOf = ({ accountId, intent }: ParentOrder): string => `${accountId} ${intent.symbol}`;

/** A question for a position: when it was asked, and what the account had executed on that market and side by then. */
type Question = Omit<Answer, "position"> & Readonly<{ durable: Quantity }>;

/** A question that waits for its answer, and the number of the try. */
type ExposureRequest = Readonly<{
  question: Question;
  answer: Promise<Position>;
  tries: number;
}>;

type Position = Answer["position"];

/**
 * Number of tries to read a position without fills in between. After these the fills are subtracted from it instead.
 */
const MOST_TRIES = 3;

const HALF = {
  numerator: 1 as Scaled,
  denominator: 2 as Scaled,
  rounding: "down",
} as const;

/**
 * Measures the exposure of reduce-only children (I13): the host's position, less what other unresolved reduce-only children
 * of the account hold on that market and side, and less recent executions that it does not show yet ({@link
 * OwnExecutions}). A position that was read before a fill on the same market and side is read again, a few times. After
 * that the fills since the reading are subtracted, as if the position did not include them; and so are those whose record
 * is not durable yet, because a position may follow the journal. A parent whose market never rests can therefore still
 * send, and never more than the position allows.
 */
export class ExposureTracker {
  readonly #core: Core;
  readonly #exposure: Exposure;
  readonly #shards: Shards;
  readonly #watch: ExposureWatch;
  #unsubscribe: () => void = () => undefined;
  /** Number of positions that the host was asked for and has not returned. */
  #requested = 0;

  constructor(core: Core, exposure: Exposure, shards: Shards, timers: Timers) {
    this.#core = core;
    this.#exposure = exposure;
    this.#shards = shards;
    this.#watch = new ExposureWatch(core, shards, timers, (order, answered) => this.#query(order, answered));
  }

  /** Whether the host still owes a position. */
  get busy(): boolean {
    return this.#requested > 0;
  }

  /** Starts to listen to positions that change, if the host reports them. */
  listen(): void {
    const changed = (change: PositionChange): void => this.#watch.changed(change);
    this.#unsubscribe = this.#exposure.onChange?.(changed) ?? this.#unsubscribe;
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Measures a parent that has triggered again and again: it ends with the position that it reduces. */
  track(live: LiveOrder): void {
    this.#watch.track(live);
  }

  /**
   * Returns what the parent may reduce if the host answers synchronously. Otherwise returns undefined, and the
   * measurement is under way.
   */
  immediate(order: ParentOrder): Quantity | undefined {
    const live = this.#live(order);
    if (live === undefined || live.measuring !== undefined) return undefined;
    const question = this.#question(order);
    const answer = this.#position(order);
    if (!(answer instanceof Promise)) return this.#evaluate(live, question, answer);
    this.#await(order, live, { question, answer, tries: 1 });
    return undefined;
  }

  /**
   * Returns how much of a measured exposure the next child of a parent may ask for: all of it, less the margin that {@link
   * overtaken} has found. At least half, so that a child is left.
   */
  offered(live: LiveOrder, exposure: Quantity): Quantity {
    if (live.margin === undefined) return exposure;
    return subtract(exposure, min(live.margin, portion(exposure, HALF)));
  }

  /** Notes how much of the exposure measured for the child of a parent the child leaves. */
  intended(live: LiveOrder, exposure: Quantity): void {
    const { working } = live;
    cover(live, add(this.#sums(working).unreserved, subtract(exposure, reservedBy(working))));
  }

  /**
   * Notes that a child is withdrawn because more was executed while it waited than it had left of its exposure. From the
   * second one in a row, the next child leaves twice as much more: an account that trades all the time would otherwise overtake
   * each of them.
   */
  overtaken(live: LiveOrder): void {
    if (live.coveredTo === undefined) return;
    const missing = subtract(this.#sums(live.working).unreserved, live.coveredTo);
    leaveMargin(live, live.margin === undefined ? ZERO_QUANTITY : add(live.margin, add(missing, missing)));
  }

  /** Measures the exposure and then lets the parent try with the quote of that time. */
  measure(order: ParentOrder): void {
    this.#measure(order, 1);
  }

  #measure(order: ParentOrder, tries: number): void {
    const live = this.#live(order);
    if (live === undefined || live.measuring !== undefined) return;
    const question = this.#question(order);
    this.#await(order, live, {
      question,
      answer: Promise.resolve(this.#position(order)),
      tries,
    });
  }

  #await(order: ParentOrder, live: LiveOrder, request: ExposureRequest): void {
    const shard = this.#shard(order);
    beginMeasuring(live, request);
    this.#settle(request.answer, (position) =>
      shard.post(() =>
        position === undefined ? this.#rest(live, request) : this.#measured(live, request, position),
      ),
    );
  }

  /** Passes an answer on, or undefined if there is none. */
  #settle(answer: Promise<Position>, answered: (position: Position | undefined) => void): void {
    this.#requested++;
    answer.then(
      (position) => {
        this.#requested--;
        answered(position);
      },
      (error: unknown) => {
        this.#requested--;
        this.#core.telemetry.event("warn", "exposure.failed", {
          message: String(error),
        });
        answered(undefined);
      },
    );
  }

  /** Asks for the position on the market of a parent, and passes the answer on in the mailbox of its shard. */
  #query(order: ParentOrder, answered: (answer: Answer | undefined) => void): void {
    const question = this.#question(order);
    this.#settle(Promise.resolve(this.#position(order)), (position) =>
      this.#shard(order).post(() =>
        answered(position === undefined ? undefined : this.#answerTo(order, question, position)),
      ),
    );
  }

  /**
   * Evaluates the answer against the current parent. A child that was open at the time of the question may be closed
   * by now.
   */
  #measured(live: LiveOrder, request: ExposureRequest, position: Position): void {
    const { question, tries } = request;
    if (!this.#isOver(live, request)) return;
    const order = live.working;
    if (this.#since(order, question, position) !== ZERO_QUANTITY && tries < MOST_TRIES)
      return this.#measure(order, tries + 1);
    const exposure = this.#evaluate(live, question, position);
    this.#core.effects.emit(
      exposure === undefined ? { kind: "REARM", live } : { kind: "EXPOSURE_MEASURED", live, exposure },
    );
  }

  /** Rearms a parent whose measurement failed. */
  #rest(live: LiveOrder, request: ExposureRequest): void {
    if (this.#isOver(live, request)) this.#core.effects.emit({ kind: "REARM", live });
  }

  /**
   * Ends a measurement. Returns false if it does not count: another one was begun, or the parent is another object since its
   * shard was read again, and that one is armed already.
   */
  #isOver(live: LiveOrder, request: ExposureRequest): boolean {
    return endMeasuring(live, request) && this.#live(live.working) === live;
  }

  #position(order: ParentOrder): ReturnType<Exposure["position"]> {
    try {
      return this.#exposure.position(order.accountId, order.intent.symbol);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #question(order: ParentOrder): Question {
    const { executions, monotonicMs } = this.#core;
    const { durable } = this.#sums(order);
    return {
      requestedAtMs: monotonicMs(),
      noted: executions.noted,
      isSettled: this.#isSettled(order),
      durable,
    };
  }

  #answerTo(order: ParentOrder, question: Question, position: Position): Answer {
    return {
      ...question,
      position,
      isSettled: question.isSettled && this.#isSettled(order),
    };
  }

  #isSettled(order: ParentOrder): boolean {
    return this.#shard(order).memory.account(order.accountId).sums.isSettled(order);
  }

  /**
   * Returns the part of a position that the parent may reduce; undefined if it is not known. Children of other parents may
   * still execute what they hold, and the position may lack recent executions, or what was executed since it was asked for.
   */
  #evaluate(live: LiveOrder, question: Question, position: Position): Quantity | undefined {
    const order = live.working;
    const answer = this.#answerTo(order, question, position);
    this.#watch.measured(live, answer);
    const shown = this.#core.executions.shown(order, answer);
    if (shown === undefined) return undefined;
    const others = subtract(this.#sums(order).reserved, reservedBy(order));
    const left = subtract(reducibleOf(order.intent.side, shown), others);
    return max(subtract(left, this.#since(order, question, position)), ZERO_QUANTITY);
  }

  /**
   * Returns what the account has executed since a position was asked for, or what is not durable of it: a position that says
   * as of when it is may be of a later time.
   */
  #since(order: ParentOrder, question: Question, position: Position): Quantity {
    const { executed, durable } = this.#sums(order);
    return subtract(executed, typeof position === "object" ? durable : question.durable);
  }

  #sums(order: ParentOrder): ExposureSum {
    return this.#shard(order).memory.account(order.accountId).sums.of(order);
  }

  #shard(order: ParentOrder): Shard {
    return this.#shards.ofOrder(order.orderId);
  }

  #live(order: ParentOrder): LiveOrder | undefined {
    return this.#shards.live(order.orderId);
  }
}
