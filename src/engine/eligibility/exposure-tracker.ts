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
import { reducibleOf } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { Exposure, PositionChange } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import type { Answer } from "../core/own-executions.ts";
import { type ExposureSum, reservedBy } from "../shards/exposure-sums.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import { ExposureWatch } from "./exposure-watch.ts";

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
 * Measures the exposure of reduce-only children (decision 24, I13): the host's position, less what other unresolved
 * reduce-only children of the account hold on that market and side, and less recent executions that it does not show yet
 * ({@link OwnExecutions}). A position that was read before a fill on the same market and side is read again, a few times.
 * After that the fills since the reading are subtracted, as if the position did not include them; and so are those whose
 * record is not durable yet, because a position may follow the journal. A parent whose market never rests can therefore
 * still send, and never more than the position allows.
 */
export class ExposureTracker {
  readonly #core: Core;
  readonly #exposure: Exposure;
  readonly #shards: Shards;
  readonly #watch: ExposureWatch;
  #unsubscribe: () => void = () => undefined;
  /** Number of positions that the host was asked for and has not returned. */
  #requested = 0;

  constructor(core: Core, exposure: Exposure, parts: Readonly<{ shards: Shards; timers: Timers }>) {
    this.#core = core;
    this.#exposure = exposure;
    this.#shards = parts.shards;
    this.#watch = new ExposureWatch(core, {
      ...parts,
      query: (order, answered) => this.#query(order, answered),
    });
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
    live.coveredTo = add(this.#sums(working).unreserved, subtract(exposure, reservedBy(working)));
  }

  /**
   * Notes that a child is withdrawn because more was executed while it waited than it had left of its exposure. From the
   * second one in a row, the next child leaves twice as much more: an account that trades all the time would otherwise overtake
   * each of them.
   */
  overtaken(live: LiveOrder): void {
    if (live.coveredTo === undefined) return;
    const missing = subtract(this.#sums(live.working).unreserved, live.coveredTo);
    live.margin = live.margin === undefined ? ZERO_QUANTITY : add(live.margin, add(missing, missing));
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
    live.measuring = request;
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
    if (live.measuring !== request) return false;
    live.measuring = undefined;
    return this.#live(live.working) === live;
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
