import { harmless } from "../../host-answers/index.ts";
import type { ChildOrder, Fact } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { childRequestOf, type LiveOrder, type ParentStep } from "../core/live-order.ts";
import type { FundsQueue } from "../eligibility/funds-queue.ts";
import type { ChildReports } from "./child-reports.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Reconciler } from "./reconciler.ts";

/** What children are managed with. */
export type ChildOrderParts = Readonly<{
  venue: ExecutionVenue;
  funds: FundsQueue;
  reports: ChildReports;
  reconciler: Reconciler;
  dispatcher: Dispatcher;
}>;

/** Everything between parents and the venue: handing over, answers, events, and the search for lost outcomes. */
export class ChildOrderManager {
  readonly #core: Core;
  readonly #parts: ChildOrderParts;
  #unsubscribe: () => void = () => undefined;

  constructor(core: Core, parts: ChildOrderParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Hears what the venue says by itself from now on. What it said before is found by the look-ups of recovery, which
   * come after this.
   */
  listen(): void {
    const { venue, reports } = this.#parts;
    this.#unsubscribe = venue.subscribe((event: unknown) =>
      harmless(() => reports.hear(event), this.#core.told("venue-event.failed")),
    );
  }

  /** A durable record wants the child of its parent to be sent; its shard was this engine's at `ownedAtMs`. */
  submit({ order }: ParentStep, ownedAtMs: number): void {
    this.#parts.dispatcher.submit(order, ownedAtMs);
  }

  /** Follows what a durable record did to a parent's child. */
  followUp({ order, facts }: ParentStep): void {
    this.#dropClosed(facts);
    const child = childRequestOf(order);
    if (child === undefined || order.child === undefined || order.child.state === "SENT") return;
    const { reconciler } = this.#parts;
    const deadlineMs = reconciler.deadlineOf(child.childId) ?? this.#deadlineOf(order.child);
    reconciler.follow(child, order.child.state, deadlineMs);
  }

  /** A record whose append failed was found in the store: it is as durable as any other. */
  found(steps: readonly ParentStep[]): void {
    for (const step of steps) {
      this.#dropClosed(step.facts);
      this.#parts.funds.saw(step);
    }
  }

  /** Follows children no longer that durable facts have closed. */
  #dropClosed(facts: readonly Fact[]): void {
    for (const fact of facts) if (fact.kind === "CHILD_CLOSED") this.#drop(fact.childId);
  }

  /**
   * A parent came out of the store: the outcome of a child that this process did not hand over is unknown.
   */
  recover({ durable, working }: LiveOrder): void {
    const child = durable && childRequestOf(durable);
    if (durable?.child === undefined || child === undefined || working.child?.childId !== child.childId)
      return;
    const { reconciler, dispatcher, reports } = this.#parts;
    const { childId, state } = durable.child;
    const deadlineMs = reconciler.deadlineOf(childId);
    if (deadlineMs !== undefined) {
      reconciler.follow(child, state, deadlineMs);
      reconciler.recheck(childId);
    } else if (dispatcher.holds(childId)) return;
    else if (state === "UNKNOWN") reconciler.follow(child, state, this.#deadlineOf(durable.child));
    else reports.recovered(child);
  }

  /** Another engine owns the parent now, and follows its child. */
  letGo({ durable, working }: LiveOrder): void {
    this.#parts.funds.forget(working.orderId);
    for (const childId of [durable?.child?.childId, working.child?.childId]) {
      if (childId !== undefined) this.#drop(childId);
    }
  }

  stop(): void {
    this.#parts.reports.stop();
    this.#parts.dispatcher.stop();
    this.#parts.reconciler.stop();
    // Last: a host's own may throw.
    this.#unsubscribe();
  }

  #drop(childId: string): void {
    this.#parts.dispatcher.forget(childId);
    this.#parts.reconciler.drop(childId);
  }

  /** The last deadline with which anybody can have handed a child over. One without was handed over just now at worst. */
  #deadlineOf({ notAfterMs }: ChildOrder): number {
    return notAfterMs ?? this.#core.wallMs() + this.#core.settings.submitDeadlineMs;
  }
}
