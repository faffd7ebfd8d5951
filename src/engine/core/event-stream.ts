import { EventEmitter } from "eventemitter3";
import type { Price } from "../../decimal/index.ts";
import { harmless } from "../../host-answers/index.ts";
import type { CountedPrint, Fact, JournalRecord, Quote } from "../../model/index.ts";
import type { Alert, EngineEvents, StatusUpdate } from "./api.ts";
import type { Core } from "./core.ts";
import type { DurableRecord, ParentStep } from "./live-order.ts";

/** Returns whether a fact is announced to the listeners of its list: a creation, a release, the end of a leg. */
const movesList = ({ kind }: Fact): boolean => kind === "ACCEPTED" || kind === "RELEASED" || kind === "ENDED";

/**
 * Emits durable changes to the host: every record of a shard in sequence, without a gap (I54), and its alerts. A
 * listener that throws harms neither the engine nor the other listeners.
 */
export class EventStream {
  readonly events: EventEmitter<EngineEvents> = new EventEmitter();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  tell({ record, steps, list }: DurableRecord): void {
    for (const step of steps) this.#tellStep(record, step);
    if (list === undefined || !steps.some(({ facts }) => facts.some(movesList))) return;
    const update = { shard: record.shard, sequence: record.sequence, record, list };
    for (const listener of this.events.listeners("list")) this.#guard(() => listener(update));
  }

  #tellStep(record: JournalRecord, { order, facts }: ParentStep): void {
    if (this.events.listenerCount("order") > 0) {
      const update = { shard: record.shard, sequence: record.sequence, record, order };
      for (const listener of this.events.listeners("order")) this.#guard(() => listener(update));
    }
    for (const fact of facts) {
      if (fact.kind === "TRIGGERED") this.#core.counters.triggers++;
      if (fact.kind === "ALERT") this.#alert(order.orderId, fact, record.timeMs);
    }
  }

  /**
   * Emits a counted quote. Returns whether there is a listener. Without one no object is created, because quotes are
   * frequent.
   */
  quoted(quote: Quote): boolean {
    if (this.events.listenerCount("quote") === 0) return false;
    for (const listener of this.events.listeners("quote")) this.#guard(() => listener(quote));
    return true;
  }

  /** Emits a counted print. */
  printed(print: CountedPrint, price: Price): void {
    if (this.events.listenerCount("print") === 0) return;
    const update = { ...print, price };
    for (const listener of this.events.listeners("print")) this.#guard(() => listener(update));
  }

  /** Emits the alert that the wall clock was set by `stepMs` milliseconds. */
  stepped(stepMs: number): void {
    const [way, byMs] = [stepMs < 0 ? "back" : "forward", Math.abs(stepMs)];
    this.#core.telemetry.event("warn", "clock.stepped", { stepMs });
    this.#tellAlert({
      alert: "CLOCK_STEPPED",
      detail: `the wall clock was set ${way} by ${byMs} ms`,
      timeMs: this.#core.nowMs(),
    });
  }

  /** Emits a change of the engine's condition, and an alert unless the change was requested. */
  status(update: StatusUpdate): void {
    const { change, detail, timeMs } = update;
    const isPlanned = change === "DRAINING" || change === "CLOSED";
    this.#core.telemetry.event(isPlanned ? "info" : "warn", "engine.status", { change, detail });
    for (const listener of this.events.listeners("status")) this.#guard(() => listener(update));
    if (!isPlanned) this.#tellAlert({ alert: change, detail, timeMs });
  }

  /** Removes all listeners. */
  stop(): void {
    this.events.removeAllListeners();
  }

  #alert(orderId: number, { alert, detail }: Extract<Fact, { kind: "ALERT" }>, timeMs: number): void {
    this.#core.telemetry.event("warn", "order.alert", { orderId, alert, detail });
    this.#tellAlert({ alert, orderId, detail, timeMs });
  }

  #tellAlert(alert: Alert): void {
    this.#core.counters.alerts++;
    for (const listener of this.events.listeners("alert")) this.#guard(() => listener(alert));
  }

  #guard(tell: () => unknown): void {
    harmless(tell, this.#core.told("listener.failed"));
  }
}
