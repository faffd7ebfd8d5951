import type { Quantity } from "../../decimal/index.ts";
import { invariant } from "../../errors/index.ts";
import type { CountedPrint, ParentOrder, Quote } from "../../model/index.ts";
import type { Activated, Fired, ReadonlyIdMap } from "../../triggers/index.ts";
import type { DurableRecord, LiveOrder } from "./live-order.ts";

/**
 * What is to follow from something that a part of the engine has done. Parts say what happened; the interpreter knows
 * which parts come next.
 */
export type EngineEffect =
  /** A record was decided and waits to be made durable; `asked` when a caller waits for it. */
  | Readonly<{ kind: "RECORD_DECIDED"; shard: number; asked: boolean }>
  /** A record became durable; in sequence. */
  | Readonly<{ kind: "RECORD_DURABLE"; record: DurableRecord; liveOrders: readonly LiveOrder[] }>
  /** A record whose append failed was found in the store: it is told like any other; the rest is recovery's. */
  | Readonly<{ kind: "RECORD_FOUND"; record: DurableRecord }>
  /** The memory of a shard was made again from the store, or let go; `before` is what it held, and changes no more. */
  | Readonly<{ kind: "SHARD_RELOADED"; shard: number; before: ReadonlyIdMap<LiveOrder> }>
  /** A reduce-only parent needs to know what it may reduce before it can send a child. */
  | Readonly<{ kind: "EXPOSURE_WANTED"; order: ParentOrder }>
  /** What a parent may reduce is known: it may send a child on the quote of now. */
  | Readonly<{ kind: "EXPOSURE_MEASURED"; live: LiveOrder; exposure: Quantity }>
  /** A parent may look at the market again. */
  | Readonly<{ kind: "REARM"; live: LiveOrder }>
  /** A quote met the conditions of parents; in the order in which they fired. */
  | Readonly<{ kind: "FIRED"; fired: readonly Fired[]; quote: Quote }>
  /** A quote began the tracking of a trailing parent. */
  | Readonly<{ kind: "ACTIVATED"; activated: Activated; quote: Quote }>
  /** An executed trade was counted. */
  | Readonly<{ kind: "PRINTED"; print: CountedPrint }>
  /** An extreme moved that trailing orders rest on, or volume was counted: the market journal has something to keep. */
  | Readonly<{ kind: "MARKET_MOVED" }>
  /** An executed trade was not counted, as too many wait for the store. */
  | Readonly<{ kind: "PRINT_DROPPED" }>;

/** Runs the effects of one engine. */
export type EffectRunner = Readonly<{ run: (effect: EngineEffect) => void }>;

const UNCONNECTED: EffectRunner = {
  run: ({ kind }) => invariant(false, "I66", `${kind} before the engine was put together`),
};

/**
 * Where the parts of an engine leave their effects. Each runs at once, before `emit` returns, so that what one part does
 * and what follows from it are one step.
 */
export class Effects {
  #runner: EffectRunner = UNCONNECTED;

  /** From now on effects are run; called once, when all parts are there. */
  connect(runner: EffectRunner): void {
    invariant(this.#runner === UNCONNECTED, "I66", "the effects of an engine were connected twice");
    this.#runner = runner;
  }

  emit(effect: EngineEffect): void {
    this.#runner.run(effect);
  }
}
