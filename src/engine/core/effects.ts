import type { Quantity } from "../../decimal/index.ts";
import { invariant } from "../../errors/index.ts";
import type { ParentOrder, Quote } from "../../model/index.ts";
import type { Activated, Fired, ReadonlyIdMap } from "../../triggers/index.ts";
import type { PrintUpdate } from "./events.ts";
import type { DurableRecord, LiveOrder } from "./live-order.ts";

/**
 * A consequence of an action by a part of the engine. Parts say what happened; the interpreter knows which parts act
 * next.
 */
export type EngineEffect =
  /** A record was decided and waits to become durable. `isRequested` says that a caller waits for it. */
  | Readonly<{ kind: "RECORD_DECIDED"; shard: number; isRequested: boolean }>
  /** A record became durable. Emitted in sequence. */
  | Readonly<{ kind: "RECORD_DURABLE"; record: DurableRecord; liveOrders: readonly LiveOrder[] }>
  /** A record whose append failed was found in the store. It is emitted like any other; recovery does the rest. */
  | Readonly<{ kind: "RECORD_FOUND"; record: DurableRecord }>
  /**
   * The memory of a shard was rebuilt from the store, or released. `before` is its previous content, which changes no
   * more.
   */
  | Readonly<{ kind: "SHARD_RELOADED"; shard: number; before: ReadonlyIdMap<LiveOrder> }>
  /** A reduce-only parent needs its exposure before it can send a child. */
  | Readonly<{ kind: "EXPOSURE_WANTED"; order: ParentOrder }>
  /** The exposure of a parent is known. The parent may send a child on the current quote. */
  | Readonly<{ kind: "EXPOSURE_MEASURED"; live: LiveOrder; exposure: Quantity }>
  /** A parent may look at the market again, from the next quote or heartbeat on. */
  | Readonly<{ kind: "REARM"; live: LiveOrder }>
  /** What held a parent back is over. It is offered the quote that stands. */
  | Readonly<{ kind: "ADMITTED"; live: LiveOrder }>
  /** A quote met the conditions of parents. `fired` is in firing order. */
  | Readonly<{ kind: "FIRED"; fired: readonly Fired[]; quote: Quote }>
  /** A quote began the tracking of a trailing parent. */
  | Readonly<{ kind: "ACTIVATED"; activated: Activated; quote: Quote }>
  /** An executed trade was counted. */
  | Readonly<{ kind: "PRINTED"; print: PrintUpdate }>
  /**
   * The market journal has something to keep: an extreme that trailing orders rest on moved, or volume was counted.
   */
  | Readonly<{ kind: "MARKET_MOVED" }>
  /** Prints wait no more for an append without an answer, during which no order followed them. */
  | Readonly<{ kind: "VOLUME_MOVES" }>
  /** No quote of markets that open orders watch has counted for a while, or one counts again. */
  | Readonly<{ kind: "QUOTES_STOPPED" | "QUOTES_RESUMED"; detail: string }>
  /** The first order has stalled or the first child become unknown, or the last one is so no more. */
  | Readonly<{ kind: "ORDERS_CHANGED" }>
  /** An executed trade was not counted because too many trades wait for the store. */
  | Readonly<{ kind: "PRINT_DROPPED" }>;

/** Runs the effects of one engine. */
export type EffectRunner = Readonly<{ run: (effect: EngineEffect) => void }>;

const UNCONNECTED: EffectRunner = {
  run: ({ kind }) =>
    invariant(false, "I66", `effect ${kind} was emitted before the parts of the engine were connected`),
};

/**
 * Runs the effects of an engine. Each effect runs before `emit` returns, so that an action and its consequences are
 * one synchronous step.
 */
export class Effects {
  #runner: EffectRunner = UNCONNECTED;

  /** Connects the runner of effects. Called once, when all parts exist. */
  connect(runner: EffectRunner): void {
    invariant(this.#runner === UNCONNECTED, "I66", "the effects of the engine were connected twice");
    this.#runner = runner;
  }

  emit(effect: EngineEffect): void {
    this.#runner.run(effect);
  }
}
