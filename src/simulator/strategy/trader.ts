import type { Quantity } from "../../decimal/index.ts";
import type { AccountView, EngineEvents } from "../../engine/index.ts";
import type { NativeExecution, NativeOrder, Quote, Side } from "../../model/index.ts";
import type { NativePlaced } from "../../ports/index.ts";

/** An order that goes to the venue at once. Quantities and prices are decimal strings. */
export interface NativeOrderRequest {
  readonly symbol: string;
  readonly side: Side;
  /** `MARKET` executes against the book; `LIMIT` waits in it. */
  readonly type: "MARKET" | "LIMIT";
  /** Required, except for a market order by `quoteQuantity`. */
  readonly quantity?: string;
  /** A market order by an amount of USD instead of a quantity. */
  readonly quoteQuantity?: string;
  /** Required for `LIMIT`. */
  readonly price?: string;
  /** For `LIMIT`. Default: GTC. */
  readonly timeInForce?: "GTC" | "IOC" | "FOK";
  /** Default: a counted name. */
  readonly clientOrderId?: string;
}

/** Events that a strategy can follow: those of the engine, and executions of orders placed with `placeNative`. */
export interface TraderEvents
  extends Pick<EngineEvents, "quote" | "print" | "order" | "fill" | "child" | "ended" | "list" | "alert"> {
  readonly native: NativeExecution;
}

/**
 * The account of a strategy in a simulation. Its calls are those of a live program: `account` is the view that
 * `engine.account(1)` returns. Time stands still until the strategy has done all that it can do without time.
 */
export interface Trader {
  readonly account: AccountView;
  /** The time of the simulation in epoch milliseconds. */
  nowMs(): number;
  /** Returns the last counted quote of a symbol; `undefined` before the first. */
  quote(symbol: string): Quote | undefined;
  /** Returns the quantity of the base asset of a symbol that the account holds. */
  position(symbol: string): Quantity;
  /** Returns the balance of an asset, such as USD, as a decimal string. */
  balance(asset: string): string;
  /**
   * Places an order at the venue itself, without the engine. Resolves to the order with its immediate fills. Rejects
   * with an OrderError if the venue refuses it, and with a TypeError for a request that is not an order.
   */
  placeNative(order: NativeOrderRequest): Promise<NativePlaced>;
  /** Cancels such an order. Resolves to `undefined` if no such order is open. */
  cancelNative(symbol: string, clientOrderId: string): Promise<NativeOrder | undefined>;
  /**
   * Calls a listener for every event of a name until the returned function is called. A listener for quotes that goes on
   * after many promises must return its promise: time moves on when the promises that listeners returned have settled.
   */
  on<Name extends keyof TraderEvents>(
    event: Name,
    listener: (payload: TraderEvents[Name]) => unknown,
  ): () => void;
  /**
   * Runs code once, at a time in epoch milliseconds, unless the returned function is called before. A fraction of a
   * millisecond is rounded up.
   */
  at(timeMs: number, run: () => unknown): () => void;
  /** Runs code at the end of every period of so many milliseconds, until the returned function is called. */
  every(periodMs: number, run: () => unknown): () => void;
}

/**
 * Code under test. It is called once, right after the first quote. An error that it or one of its listeners throws ends
 * the simulation. It must not wait for anything outside the simulation, such as a network or a real timer.
 */
export type Strategy = (trader: Trader) => unknown;
