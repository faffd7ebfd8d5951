import { capabilitiesOf } from "../host-answers/index.ts";
import { shardOfId } from "../lifecycle/index.ts";
import type { ChildRequest, ParentOrder } from "../model/index.ts";
import type { ExecutionVenue } from "../ports/index.ts";
import { type Core, childRequestOf } from "./core.ts";
import { Fifo } from "./fifo.ts";
import type { Timers } from "./timers.ts";
import { VenuePace } from "./venue-pace.ts";

/** What a dispatcher needs from its engine. */
export type DispatchHost = Readonly<{
  /** Why this child must not be handed over any more; undefined when it may be. */
  objection: (child: ChildRequest) => string | undefined;
  withdrawn: (child: ChildRequest, detail: string) => void;
  /** Asks the store whose the child's shard is; resolves when that is known. */
  confirm: (child: ChildRequest) => Promise<void>;
  /** It is handed over now; its outcome must be known by `deadlineMs`. */
  handedOver: (child: ChildRequest, deadlineMs: number) => void;
  /** The venue answered; nobody has looked yet whether that can be read. */
  answered: (child: ChildRequest, answer: unknown) => void;
  /** No answer by the deadline, or the call failed. */
  lost: (child: ChildRequest, detail: string) => void;
}>;

/** A child that is due, until when it may go, and when its shard was last known to be this engine's, in engine time. */
type Due = Readonly<{ child: ChildRequest; notAfterMs: number; ownedAtMs: number }>;

/** Of children that an earlier version has decided. */
const ANY_TIME: number = Number.MAX_SAFE_INTEGER;

/**
 * Hands durable intents to the venue, each once. Keeps the venue's rate: due children queue, reduce-only ones first,
 * none is dropped (decision 26). Whoever takes a shard over looks up what it finds, and settles it when the deadline
 * of a child handed over then and the quiet time have passed; so a child that waited here for longer than the quiet
 * time goes out only after the store has said again whose shard it is (I26). None goes out after the time that its
 * intent names, by the wall clock: it is withdrawn, by a record, and the parent tries again.
 */
export class Dispatcher {
  readonly #core: Core;
  readonly #venue: ExecutionVenue;
  readonly #timers: Timers;
  readonly #host: DispatchHost;
  readonly #reducing: Fifo<Due> = new Fifo();
  readonly #opening: Fifo<Due> = new Fifo();
  readonly #handed: Set<string> = new Set();
  readonly #pace: VenuePace = new VenuePace();
  /** When the store last said of a shard, by its number, that it is this engine's; engine time. */
  readonly #confirmedAtMs: Map<number, number> = new Map();
  /** Nothing goes out before it is time, or before the store has answered. */
  #waiting = false;
  #stopped = false;

  constructor(core: Core, options: Readonly<{ venue: ExecutionVenue; timers: Timers }>, host: DispatchHost) {
    this.#core = core;
    this.#venue = options.venue;
    this.#timers = options.timers;
    this.#host = host;
  }

  /** Children that wait for the venue's rate. */
  get queued(): number {
    return this.#reducing.size + this.#opening.size;
  }

  /** Whether this process holds the child: queued, or handed over without an outcome yet. */
  holds(childId: string): boolean {
    return this.#handed.has(childId);
  }

  /** Takes in the child of a record that became durable; its shard was this engine's at `ownedAtMs`, engine time. */
  submit(order: ParentOrder, ownedAtMs: number): void {
    const child = childRequestOf(order);
    if (child === undefined) return;
    this.#handed.add(child.childId);
    const due = {
      child,
      notAfterMs: order.child?.notAfterMs ?? ANY_TIME,
      ownedAtMs,
    };
    (child.reduceOnly ? this.#reducing : this.#opening).push(due);
    this.#pump(false);
  }

  /**
   * Until when a child that is decided now may be handed over, in the venue's time as far as the wall clock knows it:
   * the time of a submit after those that were decided before it have gone out at the venue's rate.
   */
  notAfterMs(): number {
    this.#readRate();
    const before = this.queued + this.#core.counters.deciding;
    const waitMs = this.#pace.behindMs(this.#core.monotonicMs(), before);
    const notAfterMs = this.#core.wallMs() + this.#core.settings.submitDeadlineMs + waitMs;
    return Math.min(notAfterMs, ANY_TIME);
  }

  /** The child is resolved. */
  forget(childId: string): void {
    this.#handed.delete(childId);
  }

  /** Nothing is handed over from now on; what is queued stays an intent and is looked up after a restart. */
  stop(): void {
    this.#stopped = true;
  }

  /** Hands over all that the rate lets out now; `waited` when a timer of it was set. */
  #pump(waited: boolean): void {
    this.#readRate();
    while (!this.#stopped && !this.#waiting) {
      const queue = this.#reducing.size > 0 ? this.#reducing : this.#opening;
      const { first: due } = queue;
      if (due === undefined) return;
      const waitMs = this.#pace.waitMs(this.#core.monotonicMs());
      if (waitMs > 0) return this.#pumpAfter(waitMs);
      if (!this.#isOwned(due)) return void this.#confirm(due.child);
      queue.shift();
      if (this.#send(due)) this.#pace.sent(this.#core.monotonicMs(), waited);
    }
  }

  #readRate(): void {
    this.#pace.declare(capabilitiesOf(this.#venue, this.#core.told("venue.capabilities")).ratePerSecond);
  }

  /** Whether the child's shard was known to be this engine's within the quiet time. */
  #isOwned({ child, ownedAtMs }: Due): boolean {
    const confirmedAtMs = this.#confirmedAtMs.get(shardOfId(child.parentOrderId)) ?? ownedAtMs;
    return this.#core.nowMs() - Math.max(ownedAtMs, confirmedAtMs) <= this.#core.settings.venueQuietMs;
  }

  #pumpAfter(waitMs: number): void {
    this.#waiting = true;
    this.#timers.after(waitMs, () => {
      this.#waiting = false;
      this.#pump(true);
    });
  }

  async #confirm(child: ChildRequest): Promise<void> {
    this.#waiting = true;
    const askedAtMs = this.#core.nowMs();
    try {
      await this.#host.confirm(child);
    } catch (error) {
      this.#core.telemetry.event("warn", "confirm.failed", { message: messageOf(error) });
      return this.#pumpAfter(this.#core.settings.retryMinMs);
    }
    this.#core.counters.activity++;
    this.#confirmedAtMs.set(shardOfId(child.parentOrderId), askedAtMs);
    this.#waiting = false;
    this.#pump(true);
  }

  #send({ child, notAfterMs }: Due): boolean {
    const wallMs = this.#core.wallMs();
    const objection = wallMs >= notAfterMs ? "the time for it has passed" : this.#host.objection(child);
    if (objection !== undefined) {
      this.#handed.delete(child.childId);
      this.#host.withdrawn(child, objection);
      return false;
    }
    const deadlineMs = Math.min(notAfterMs, wallMs + this.#core.settings.submitDeadlineMs);
    this.#host.handedOver(child, deadlineMs);
    this.#core.counters.children++;
    const cancelDeadline = this.#timers.after(deadlineMs - wallMs, () =>
      this.#host.lost(child, "no answer by the deadline"),
    );
    this.#core.probe("before-submit");
    this.#call(child, deadlineMs).then(
      (answer) => {
        cancelDeadline();
        this.#core.probe("after-submit");
        this.#host.answered(child, answer);
      },
      (error: unknown) => {
        cancelDeadline();
        this.#core.probe("after-submit");
        this.#host.lost(child, messageOf(error));
      },
    );
    return true;
  }

  /** A venue that throws instead of rejecting has an unknown outcome too. */
  async #call(child: ChildRequest, deadlineMs: number): Promise<unknown> {
    return await this.#venue.submit(child, { deadlineMs });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
