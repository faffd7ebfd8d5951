import { harmless } from "../../host-answers/index.ts";
import type { Fact } from "../../model/index.ts";
import type { ExecutionVenue } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { childRequestOf, type LiveOrder, type ParentStep } from "../core/live-order.ts";
import type { FundsQueue } from "../eligibility/funds-queue.ts";
import type { ChildReports, ClosedChildren } from "./child-reports.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Reconciler } from "./reconciler.ts";
import type { VenueClock } from "./venue-clock.ts";

/** Dependencies of {@link ChildOrderManager}. */
type ChildOrderParts = Readonly<{
  venue: ExecutionVenue;
  funds: FundsQueue;
  reports: ChildReports;
  reconciler: Reconciler;
  closed: ClosedChildren;
  dispatcher: Dispatcher;
  venueClock: VenueClock;
}>;

/** Keeps everything that follows children in step with their parents: answers, events, and look-ups of lost outcomes. */
export class ChildOrderManager {
  readonly #core: Core;
  readonly #parts: ChildOrderParts;
  #unsubscribe: () => void = () => undefined;

  constructor(core: Core, parts: ChildOrderParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Starts listening to the venue's events, or to those that `subscribe` passes on, and asks for its time. The look-ups of
   * recovery, which run after this call, find what the venue reported before it.
   */
  listen(subscribe: ExecutionVenue["subscribe"] = (listener) => this.#parts.venue.subscribe(listener)): void {
    const { reports, venueClock } = this.#parts;
    venueClock.begin();
    this.#unsubscribe = subscribe((event: unknown) =>
      harmless(() => reports.receive(event), this.#core.reporterOf("venue-event.failed")),
    );
  }

  /** Follows the effect of a durable record on the child of a parent. */
  followUp({ order, facts }: ParentStep): void {
    this.#dropClosed(facts);
    this.#parts.closed.follow(order);
    const child = childRequestOf(order);
    if (child === undefined || order.child === undefined || order.child.state === "SENT") return;
    const { reconciler } = this.#parts;
    const deadlineMs = reconciler.deadlineOf(child.childId) ?? order.child.notAfterMs;
    reconciler.follow(child, order.child.state, deadlineMs);
  }

  /** Processes a record that was found in the store after its append failed. It is as durable as any other. */
  found(steps: readonly ParentStep[]): void {
    for (const step of steps) {
      this.#dropClosed(step.facts);
      this.#parts.funds.observe(step);
    }
  }

  /** Stops following children that durable facts have closed. */
  #dropClosed(facts: readonly Fact[]): void {
    for (const fact of facts) if (fact.kind === "CHILD_CLOSED") this.#drop(fact.childId);
  }

  /**
   * Recovers the child of a parent that was read from the store. The outcome of a child that this process did not
   * hand over is unknown.
   */
  recover({ durable, working }: LiveOrder): void {
    if (durable !== undefined) this.#parts.closed.recover(durable);
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
    else if (state === "UNKNOWN") reconciler.follow(child, state, durable.child.notAfterMs);
    else reports.recovered(child);
  }

  /** Stops following the children of a parent that another engine owns now. That engine follows them. */
  unfollow({ durable, working }: LiveOrder): void {
    this.#parts.funds.evict(working.orderId);
    this.#parts.closed.drop(working.orderId);
    for (const childId of [durable?.child?.childId, working.child?.childId]) {
      if (childId !== undefined) this.#drop(childId);
    }
  }

  stop(): void {
    this.#parts.venueClock.stop();
    this.#parts.reports.stop();
    this.#parts.dispatcher.stop();
    this.#parts.reconciler.stop();
    this.#parts.closed.stop();
    // Last, because the host's unsubscribe function may throw.
    this.#unsubscribe();
  }

  #drop(childId: string): void {
    this.#parts.dispatcher.evict(childId);
    this.#parts.reconciler.drop(childId);
  }
}
