import { EventEmitter } from "eventemitter3";
import type { Fact } from "../model/index.ts";
import type { EngineEvents } from "./api.ts";
import type { Core, DurableStep } from "./core.ts";

/**
 * Tells the host what is durable: every record of a shard in sequence, without a gap (I54), and the alerts in it.
 * A listener that throws harms neither the engine nor the other listeners.
 */
export class EventStream {
  readonly events: EventEmitter<EngineEvents> = new EventEmitter();
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  tell({ shard, record, order, facts }: DurableStep): void {
    const update = { shard, sequence: record.sequence, record, order };
    for (const listener of this.events.listeners("order")) this.#guard(() => listener(update));
    for (const fact of facts) {
      if (fact.kind === "TRIGGERED") this.#core.counters.triggers++;
      if (fact.kind === "ALERT") this.#alert(order.orderId, fact, record.timeMs);
    }
  }

  /** Nobody is told anything from now on. */
  stop(): void {
    this.events.removeAllListeners();
  }

  #alert(orderId: number, { alert, detail }: Extract<Fact, { kind: "ALERT" }>, timeMs: number): void {
    this.#core.counters.alerts++;
    this.#core.telemetry.event("warn", "order.alert", { orderId, alert, detail });
    for (const listener of this.events.listeners("alert")) {
      this.#guard(() => listener({ alert, orderId, detail, timeMs }));
    }
  }

  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#core.telemetry.event("error", "listener.failed", { message: String(error) });
    }
  }
}
