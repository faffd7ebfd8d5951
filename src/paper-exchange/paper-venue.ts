import {
  nameOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  recognisedAs,
} from "../common/index.ts";
import type { Quantity } from "../decimal/index.ts";
import type { ChildRequest, CountedPrint, Quote } from "../model/index.ts";
import type {
  AssetBalance,
  ChildReport,
  Clock,
  ExecutionVenue,
  Exposure,
  Instruments,
  NativeOrders,
  PrintInput,
  QuoteInput,
  SubmitOptions,
  Telemetry,
  VenueEvent,
} from "../ports/index.ts";
import { clockOption, instrumentsOption, telemetryOption } from "../ports/internal.ts";
import { type ExecutionTerms, termsOption, type VenueFill } from "./execution-terms.ts";
import type { VenueFault } from "./fault.ts";
import type { Pruning } from "./pruner.ts";
import type { ChildRow } from "./venue-record.ts";

/** Dependencies and settings of a paper venue. Without a `path` its record is in memory. */
export interface PaperVenueOptions {
  readonly clock: Clock;
  readonly instruments: Instruments;
  readonly path?: string | undefined;
  /** Fees, slippage, latency and refusals. Default: none of them. */
  readonly terms?: ExecutionTerms;
  /** Receives an event when the record can no longer be written, and when it can again; each once. */
  readonly telemetry?: Telemetry | undefined;
  /** Times after which a settled child is forgotten. */
  readonly forgetting?: Pruning;
}

/**
 * A simulated exchange. It fills children against the quotes it receives and keeps balances. It writes everything to
 * its own record before it answers, so that after a crash it may know more or less than the engine.
 */
export interface PaperVenue extends ExecutionVenue, Exposure {
  /** A position includes every fill that the venue has reported. */
  readonly lagMs: 0;
  /** Returns the position that was set, or else the balance of the base asset. */
  position(accountId: number, symbol: string): Quantity;
  /** Submits a child. Nothing is on its way that a signal could end. */
  submit(child: ChildRequest, limits: Pick<SubmitOptions, "deadlineMs">): Promise<ChildReport>;
  /** Ordinary orders at the venue, including children. */
  readonly native: NativeOrders;
  /** Applies a counted quote: its sizes replace those used up, and it fills resting orders. */
  quote(quote: Quote): void;
  /** Returns the last quote of a symbol with what is left of its sizes; undefined if nothing was taken of them. */
  left(symbol: string): QuoteInput | undefined;
  /** Takes note of a trade of the market, own ones included, for an impact model with `windowMs`. */
  traded(print: Pick<CountedPrint, "symbol" | "quantity">): void;
  /**
   * Repeats the fills of native orders since a time as prints, for an engine that may have missed them in a crash.
   */
  printAgain(sinceMs: number): void;
  /** Reports every fill as a print, until the returned function is called. */
  onPrint(listener: (print: PrintInput) => void): () => void;
  /** Activates a fault in place of the previous one. */
  setFault(fault: VenueFault): void;
  /**
   * Releases all held children, or one. Resolves to their number. Rejects with VenueInputError if that one is not held.
   */
  release(childId?: string): Promise<number>;
  /** Sends an event to the engine. The venue's own record does not change. */
  publish(event: VenueEvent): void;
  /** Returns the venue's own record of all children, or of one parent's. */
  children(parentOrderId?: number): readonly ChildRow[];
  /** Returns whether balances of the account were ever set. */
  hasAccount(accountId: number): boolean;
  /** Sets all balances of an account. Rejects with VenueInputError for an invalid amount. */
  setBalances(accountId: number, balances: Readonly<Record<string, string>>): Promise<void>;
  /** Returns the executions of a child that are known to the engine, or of an order, with their commissions. */
  fills(of: Readonly<{ childId: string }> | Readonly<{ orderId: bigint }>): readonly VenueFill[];
  /** Returns all balances of an account, as decimal text by asset. */
  balances(accountId: number): Readonly<Record<string, string>>;
  /** Returns all balances of an account, with the part that is reserved for open orders. */
  funds(accountId: number): readonly AssetBalance[];
  /** Returns the balances that an execution changed, right after it; `undefined` for an unknown execution. */
  balancesAfter(executionId: string): Readonly<Record<string, string>> | undefined;
  /**
   * Sets the signed positions of an account by symbol. For other symbols the position is the balance of the base
   * asset. Rejects with VenueInputError for an unknown instrument and an invalid quantity.
   */
  setPositions(accountId: number, positions: Readonly<Record<string, string>>): Promise<void>;
  /** Returns the account's positions that were set, including later moves, as decimal text by symbol. */
  positions(accountId: number): Readonly<Record<string, string>>;
  /** Returns the position that an execution moved, right after it; `undefined` if none was set. */
  positionAfter(executionId: string): string | undefined;
  /** Whether the venue has work in progress that needs neither time nor a release. */
  readonly busy: boolean;
  /** Resolves when the venue can do nothing more without time, a release or a call. */
  idle(): Promise<void>;
  /** Writes pending entries and closes the record. */
  close(): Promise<void>;
}

const durationMs: OptionCheck = numberOption({ from: 0 }, " of milliseconds");

/** Checks the options of a paper venue. */
export const paperVenueOption: OptionCheck = optionsOf<PaperVenueOptions>({
  clock: clockOption,
  instruments: instrumentsOption,
  path: optionalOption(nameOption),
  terms: optionalOption(termsOption),
  telemetry: optionalOption(telemetryOption),
  forgetting: optionalOption(optionsOf<Pruning>({ afterMs: durationMs, quietMs: durationMs })),
});

/**
 * A call of the paper venue with a value that it cannot use. The message names the value and its problem.
 *
 * @example
 * ```ts
 * import { type PaperVenue, VenueInputError } from "managed-orders/simulator";
 * export const setUsd = (venue: PaperVenue, amount: string): Promise<string> =>
 *   venue.setBalances(1, { USD: amount }).then(
 *     () => "set",
 *     (error: unknown) => (error instanceof VenueInputError ? error.message : Promise.reject(error)),
 *   );
 * ```
 */
export class VenueInputError extends RangeError {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("VenueInputError");
  override readonly name = "VenueInputError";
}
