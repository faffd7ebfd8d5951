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
import type { Exposure } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { type ExposureSum, reservedBy } from "../shards/exposure-sums.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";

/**
 * A request for a position: the promised answer, what the account had executed on that market and side in durable records
 * when it was asked, and the number of the try.
 */
type ExposureRequest = Readonly<{ answer: Promise<Quantity>; durable: Quantity; tries: number }>;

/**
 * Number of tries to read a position without fills in between. After these the fills are subtracted from it instead.
 */
const MOST_TRIES = 3;

const HALF = { numerator: 1 as Scaled, denominator: 2 as Scaled, rounding: "down" } as const;

/**
 * Measures the exposure of reduce-only children (decision 24, I13): the host's position, less what other unresolved
 * reduce-only children of the account hold on that market and side. A position that was read before a fill on the
 * same market and side is read again, a few times. After that the fills since the reading are subtracted, as if the
 * position did not include them; and so are those whose record is not durable yet, because a position may follow the
 * journal. A parent whose market never rests can therefore still send, and never more than the
 * position allows.
 */
export class ExposureTracker {
  readonly #core: Core;
  readonly #exposure: Exposure;
  readonly #shards: Shards;
  /** Number of positions that the host was asked for and has not returned. */
  #asked = 0;

  constructor(core: Core, exposure: Exposure, shards: Shards) {
    this.#core = core;
    this.#exposure = exposure;
    this.#shards = shards;
  }

  /** Whether the host still owes a position. */
  get busy(): boolean {
    return this.#asked > 0;
  }

  /**
   * Returns what the parent may reduce if the host answers synchronously. Otherwise returns undefined, and the
   * measurement is under way.
   */
  immediate(order: ParentOrder): Quantity | undefined {
    const live = this.#live(order);
    if (live === undefined || live.measuring !== undefined) return undefined;
    const { durable } = this.#sums(order);
    const answer = this.#position(order);
    if (!(answer instanceof Promise))
      return this.#reducible(order, { position: answer, since: this.#since(order, durable) });
    this.#await(order, live, { answer, durable, tries: 1 });
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
    const { durable } = this.#sums(order);
    this.#await(order, live, { answer: Promise.resolve(this.#position(order)), durable, tries });
  }

  #await(order: ParentOrder, live: LiveOrder, request: ExposureRequest): void {
    const shard = this.#shard(order);
    live.measuring = request;
    const { telemetry } = this.#core;
    this.#asked++;
    request.answer.then(
      (position) => {
        this.#asked--;
        shard.post(() => this.#measured(live, { request, position }));
      },
      (error: unknown) => {
        this.#asked--;
        telemetry.event("warn", "exposure.failed", { orderId: order.orderId, message: String(error) });
        shard.post(() => this.#rest(live, request));
      },
    );
  }

  /**
   * Evaluates the answer against the current parent. A child that was open at the time of the question may be closed
   * by now.
   */
  #measured(
    live: LiveOrder,
    { request, position }: Readonly<{ request: ExposureRequest; position: Quantity }>,
  ): void {
    if (!this.#isOver(live, request)) return;
    const order = live.working;
    const since = this.#since(order, request.durable);
    if (since !== ZERO_QUANTITY && request.tries < MOST_TRIES) return this.#measure(order, request.tries + 1);
    const exposure = this.#reducible(order, { position, since });
    this.#core.effects.emit({ kind: "EXPOSURE_MEASURED", live, exposure });
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

  /**
   * Returns the part of a position that the parent may reduce. Children of other parents may still execute what they
   * hold, and the position may lack what was executed `since` it was read.
   */
  #reducible(
    order: ParentOrder,
    { position, since }: Readonly<{ position: Quantity; since: Quantity }>,
  ): Quantity {
    const others = subtract(this.#sums(order).reserved, reservedBy(order));
    const left = subtract(reducibleOf(order.intent.side, position), others);
    return max(subtract(left, since), ZERO_QUANTITY);
  }

  /** Returns what the account has executed since it had executed so much in durable records. */
  #since(order: ParentOrder, durable: Quantity): Quantity {
    return subtract(this.#sums(order).executed, durable);
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
