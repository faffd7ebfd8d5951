import { flagOption, functionOption, nameOption, type OptionCheck, optionsOf } from "../../common/index.ts";
import type { Awaitable, NativeOrders } from "../../ports/index.ts";

/** An order flow that runs, as in a process of the service. */
export interface OpenNativeOrders {
  readonly native: NativeOrders;
  /** Ends it, as the end of its process does. */
  close(): Awaitable<void>;
}

/** The best prices of a market, in decimal strings. Any size is available at both. */
export interface NativeMarket {
  readonly symbol: string;
  readonly bid: string;
  readonly ask: string;
}

/**
 * A test system of the exchange, and what the suite needs of it. Accounts 1 and 2 have 1,000,000 USD, 10 BTC and 10 ETH
 * each, and no orders. Nobody else trades.
 */
export interface NativeOrdersPlace {
  /**
   * Opens the order flow. The suite calls it again for a restart, and once while another one is open, as after a process
   * that could not close; only the later one is used then.
   */
  open(): Awaitable<OpenNativeOrders>;
  /** Sets the market of BTC/USD or ETH/USD. Resting orders that it meets are executed. */
  quote(market: NativeMarket): Awaitable<void>;
  /** Returns the time of the exchange in epoch milliseconds. */
  nowMs(): number;
  /** Advances that time. */
  pass(ms: number): Awaitable<void>;
  /**
   * Resolves when every answer and execution that is due has come. What has not come by then counts as missing.
   */
  idle(): Promise<void>;
  /** Removes the place. All its order flows are closed. */
  remove(): Awaitable<void>;
}

/** The optional parts of an order flow, each declared as present or absent. */
export interface NativeOrdersSupport {
  /** Whether it has `cancelIf`. */
  readonly cancelIf: boolean;
  /** Whether it has `open`. */
  readonly open: boolean;
  /** Whether it takes market orders by an amount of USD. */
  readonly byAmount: boolean;
  /** Whether orders have `executedNotional`. */
  readonly notionals: boolean;
  /** Whether fills have their commission. */
  readonly commissions: boolean;
}

/** An adapter of the native orders port as its author describes it to the suite. */
export interface NativeOrdersSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: NativeOrdersSupport;
  /** Creates a test system without orders. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<NativeOrdersPlace>;
}

/** Checks an adapter that is handed to the suite. */
export const nativeOrdersSubject: OptionCheck = /* @__PURE__ */ optionsOf<NativeOrdersSubject>({
  name: nameOption,
  supports: optionsOf<NativeOrdersSupport>({
    ...{ cancelIf: flagOption, open: flagOption, byAmount: flagOption },
    ...{ notionals: flagOption, commissions: flagOption },
  }),
  createPlace: functionOption("creates a test system"),
});

const control = /* @__PURE__ */ functionOption("is described at NativeOrdersPlace");

/** Checks a place. */
export const nativePlace: OptionCheck = /* @__PURE__ */ optionsOf<NativeOrdersPlace>(
  {
    ...{ open: control, quote: control, nowMs: control, pass: control, idle: control, remove: control },
  },
  { open: true },
);
