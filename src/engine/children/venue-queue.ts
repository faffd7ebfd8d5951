import { capabilitiesOf } from "../../host-answers/index.ts";
import type { ChildRequest, ParentOrder } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";
import { childRequestOf } from "../core/live-order.ts";
import { VenuePace } from "./venue-pace.ts";

/** A child that is due, until when it may go, and when its shard was last known to be this engine's, in engine time. */
export type DueChild = Readonly<{ child: ChildRequest; notAfterMs: number; ownedAtMs: number }>;

/** Of children that an earlier version has decided. */
const ANY_TIME: number = Number.MAX_SAFE_INTEGER;

/** Children that are due and wait for the rate of the venue: reduce-only ones first, none is dropped (decision 26). */
export class VenueQueue {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  readonly #reducing: Fifo<DueChild> = new Fifo();
  readonly #opening: Fifo<DueChild> = new Fifo();
  readonly #pace: VenuePace = new VenuePace();

  constructor(core: Core, venue: ExecutionVenue) {
    this.#core = core;
    this.#venue = venue;
  }

  get size(): number {
    return this.#reducing.size + this.#opening.size;
  }

  /** The child that goes next. */
  get first(): DueChild | undefined {
    return this.#next.first;
  }

  /** Takes in the child of a parent, whose shard was this engine's at `ownedAtMs`; undefined when it has none. */
  add(order: ParentOrder, ownedAtMs: number): ChildRequest | undefined {
    const child = childRequestOf(order);
    if (child === undefined) return undefined;
    const due = { child, notAfterMs: order.child?.notAfterMs ?? ANY_TIME, ownedAtMs };
    (child.reduceOnly ? this.#reducing : this.#opening).push(due);
    return child;
  }

  /** Takes the child out that goes next. */
  shift(): void {
    this.#next.shift();
  }

  /** From now on the rate is the one that the venue declares now. */
  readRate(): void {
    this.#pace.declare(capabilitiesOf(this.#venue, this.#core.told("venue.capabilities")).ratePerSecond);
  }

  /** How long none may go out at the venue's rate; 0 when one may. */
  waitMs(): number {
    return this.#pace.waitMs(this.#core.monotonicMs());
  }

  /** One has gone out; `waited` when it might have gone before, had a timer come in time. */
  sent(waited: boolean): void {
    this.#pace.sent(this.#core.monotonicMs(), waited);
  }

  /**
   * Until when a child that is decided now may be handed over, in the venue's time as far as the wall clock knows it:
   * the time of a submit after those that were decided before it have gone out at the venue's rate.
   */
  notAfterMs(): number {
    this.readRate();
    const before = this.size + this.#core.counters.deciding;
    const waitMs = this.#pace.behindMs(this.#core.monotonicMs(), before);
    const notAfterMs = this.#core.wallMs() + this.#core.settings.submitDeadlineMs + waitMs;
    return Math.min(notAfterMs, ANY_TIME);
  }

  get #next(): Fifo<DueChild> {
    return this.#reducing.size > 0 ? this.#reducing : this.#opening;
  }
}
