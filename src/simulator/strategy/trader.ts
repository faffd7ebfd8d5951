import {
  functionOption,
  numberOption,
  type OptionCheck,
  wholeOption,
  wrongOption,
} from "../../common/index.ts";
import {
  NOTIONAL_SCALE,
  type Notional,
  parsePrice,
  parseQuantity,
  parseScaled,
  type Quantity,
} from "../../decimal/index.ts";
import type { AccountView, Engine, EngineEvents } from "../../engine/index.ts";
import { CHILD_PREFIX } from "../../lifecycle/index.ts";
import type { NativeExecution, NativeOrder, NativeTerms, Quote, Side } from "../../model/index.ts";
import type { PaperVenue } from "../../paper-exchange/index.ts";
import type { Clock, NativePlaced } from "../../ports/index.ts";
import type { Activity } from "./activity.ts";

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

/** Account of the strategy. */
export const ACCOUNT_ID = 1;

/** Parts of a simulation that a trader uses. */
type TraderParts = Readonly<{ engine: Engine; venue: PaperVenue; clock: Clock; activity: Activity }>;

const listenerOption: OptionCheck = functionOption("receives the event");
const runOption: OptionCheck = functionOption("runs at that time");
const timeOption: OptionCheck = numberOption({ from: 0 }, " of epoch milliseconds");
const periodOption: OptionCheck = wholeOption({ from: 1 }, " of milliseconds");

/** Creates the account of a strategy. */
export function createTrader({ engine, venue, clock, activity }: TraderParts): Trader {
  const native = activity.watched(venue.native);
  let placed = 0;
  const schedule = (atMs: number, run: () => unknown): (() => void) =>
    clock.schedule(atMs, () => activity.run(run));
  // Times are fixed, whatever the code takes.
  const repeat = (periodMs: number, run: () => unknown): (() => void) => {
    let atMs = clock.monotonicMs() + periodMs;
    let cancel = (): void => undefined;
    const next = (): void => {
      cancel = schedule(atMs, () => {
        atMs += periodMs;
        next();
        return run();
      });
    };
    next();
    return () => cancel();
  };
  return {
    account: activity.watched(engine.account(ACCOUNT_ID)),
    nowMs: () => clock.nowMs(),
    quote: (symbol) => engine.quote(symbol)?.quote,
    position: (symbol) => venue.position(ACCOUNT_ID, symbol),
    balance: (asset) => venue.balances(ACCOUNT_ID)[asset] ?? "0",
    placeNative: async (order) => {
      placed += 1;
      const clientOrderId = order.clientOrderId ?? `native-${placed}`;
      const terms = termsOf(order, clientOrderId);
      return await native.place({ ...terms, accountId: ACCOUNT_ID, requestKey: String(placed) });
    },
    cancelNative: (symbol, clientOrderId) => native.cancel({ accountId: ACCOUNT_ID, symbol, clientOrderId }),
    on: (event, listener) => {
      listenerOption(listener, `trader.on("${event}")`);
      if (event === "quote") return activity.onQuote(listener as (quote: Quote) => unknown);
      const received = (payload: unknown): void => activity.run(() => listener(payload as never));
      if (event !== "native") return engine.events.on(event as keyof EngineEvents, received);
      return venue.native.subscribe((execution) => {
        // Executions of children are events of the engine.
        if (!execution.order.clientOrderId.startsWith(CHILD_PREFIX)) received(execution);
      });
    },
    at: (timeMs, run) => {
      timeOption(timeMs, "trader.at time");
      runOption(run, "trader.at run");
      // Times of orders and executions are whole milliseconds.
      return schedule(Math.ceil(timeMs), run);
    },
    every: (periodMs, run) => {
      periodOption(periodMs, "trader.every period");
      runOption(run, "trader.every run");
      return repeat(periodMs, run);
    },
  };
}

function termsOf(order: NativeOrderRequest, clientOrderId: string): NativeTerms {
  const { symbol, side, timeInForce = "GTC" } = order;
  const common = { symbol, side, clientOrderId };
  const quantity = (): Quantity =>
    amount("quantity", order.quantity, { parse: parseQuantity, example: "0.5" });
  if (order.type === "LIMIT") {
    const price = amount("price", order.price, { parse: parsePrice, example: "60000" });
    return { ...common, type: "LIMIT", timeInForce, quantity: quantity(), price };
  }
  if (order.type !== "MARKET") throw wrongOption(order.type, "placeNative.type", "MARKET or LIMIT", true);
  if (order.quoteQuantity === undefined) return { ...common, type: "MARKET", quantity: quantity() };
  const read = { parse: parseAmount, example: "100" };
  return { ...common, type: "MARKET", quoteQuantity: amount("quoteQuantity", order.quoteQuantity, read) };
}

type AmountReader<T> = Readonly<{ parse: (text: string) => T | undefined; example: string }>;

/** Reads a positive amount. Throws a TypeError that names it. */
function amount<T>(name: keyof NativeOrderRequest, text: unknown, { parse, example }: AmountReader<T>): T {
  const value = typeof text === "string" ? parse(text) : undefined;
  if (value !== undefined) return value;
  throw wrongOption(text, `placeNative.${name}`, `a positive decimal string, such as "${example}"`);
}

function parseAmount(text: string): Notional | undefined {
  const value = parseScaled(text, NOTIONAL_SCALE);
  return value !== undefined && value > 0 ? (value as Notional) : undefined;
}
