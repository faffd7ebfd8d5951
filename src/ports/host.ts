import type { Quantity } from "../decimal/index.ts";
import type { Account, ApiKey, Instrument } from "../model/index.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The catalogue of instruments as it is now: instruments may come and go while an engine runs. */
export interface Instruments {
  /** Returns every instrument. Symbols, ids and aliases must be unique. */
  all(): readonly Instrument[];
  /**
   * Returns the instrument of an exact canonical symbol. It is asked for with each quote and print of a symbol that it did not
   * have so far, so let it answer from memory; after a failure, a second later.
   */
  find(symbol: string): Instrument | undefined;
  /** Returns the instrument of a canonical symbol or an alias such as BTCUSD. */
  resolve(symbolOrAlias: string): Instrument | undefined;
}

/**
 * Keys, owners, consent and restrictions. A rejected promise is answered as a service failure, never as a refusal.
 */
export interface Accounts {
  /** Returns an API key with its secret and permissions, or undefined for one that does not exist or was revoked. */
  key(apiKey: string): Awaitable<ApiKey | undefined>;
  /** Returns an account with its owner and restrictions as they are now, or undefined for an unknown id. */
  account(accountId: number): Awaitable<Account | undefined>;
}

/**
 * A position, and the last execution of the account on that market that it includes: the id of the execution, or a time up
 * to which it includes all of them, in the venue's epoch milliseconds. The engine takes this at its word.
 */
export interface PositionAsOf {
  readonly quantity: Quantity;
  readonly asOf: string | number;
}

/** A position that has changed, such as one that was closed by hand. */
export interface PositionChange {
  readonly accountId: number;
  readonly symbol: string;
  readonly quantity: Quantity;
}

/** Signed position of an account in an instrument. */
export interface Exposure {
  /**
   * The longest time in milliseconds by which a position may be late: it includes every fill that the venue has reported and
   * the engine has stored so long before it was asked for. 0 for one that includes all of them. Left out, the setting
   * `exposureLagMs` counts, and a fill that a position does not seem to include is subtracted from it for so long.
   */
  readonly lagMs?: number;
  /**
   * Returns the quantity of the base asset that an account holds, negative for a short position and zero for none. If it
   * throws, rejects or is late, nothing was measured: a placement that needs it fails, and an order that waits for it asks
   * again. A reduce-only order ends when two answers, `exposureLagMs` apart, say that nothing is there to reduce.
   */
  position(accountId: number, symbol: string): Awaitable<Quantity | PositionAsOf>;
  /**
   * Reports positions that have changed until the returned function is called. Present if the host can. A position that is
   * gone makes the engine ask at once for those that its orders would reduce; the report alone ends no order.
   */
  onChange?(listener: (change: PositionChange) => void): () => void;
}

/** Time and turns. */
export interface Clock {
  /** Returns the wall clock in epoch milliseconds. It can be set, so it may step either way. */
  nowMs(): number;
  /** Returns milliseconds that never fall and never step. Only their differences are meaningful. */
  monotonicMs(): number;
  /** Runs a function once when `monotonicMs` has reached `atMs`, or later. The returned function cancels it. */
  schedule(atMs: number, run: () => void): () => void;
  /** Runs a function after input that already waits, so that many commands share one append. */
  soon(run: () => void): void;
  /**
   * Calls a listener with the milliseconds by which the wall clock was set, negative for back, until the returned
   * function is called. Present if the clock can detect this.
   */
  onStep?(listener: (stepMs: number) => void): () => void;
}

/** Random letters and digits, for ids of calls that carry no signature. */
export interface Entropy {
  /** Returns `length` characters of 0-9, A-Z, a-z. */
  token(length: number): string;
}

/** Small durable values of a host, such as the clock of a sandbox. */
export interface KeyValueStore {
  /** Resolves to the durable value of a key, or to undefined. Rejects if it cannot be read. */
  get(key: string): Promise<string | undefined>;
  /** Stores a value in place of an earlier one, and resolves when it is durable. */
  set(key: string, value: string): Promise<void>;
}

/**
 * Receiver of the events that the engine and the service report. Fields never contain a secret, a signature or a key.
 */
export interface Telemetry {
  /**
   * Receives one event. `warn` and `error` need a person, `info` and `debug` do not. `name` is one of a fixed set, such
   * as `order.alert`. It is called often and in the middle of work: it must return at once. What it throws is ignored.
   */
  event(
    level: "debug" | "info" | "warn" | "error",
    name: string,
    fields: Readonly<Record<string, string | number>>,
  ): void;
}
