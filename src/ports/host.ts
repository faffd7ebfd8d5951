import type { Quantity } from "../decimal/index.ts";
import type { Account, ApiKey, Instrument } from "../model/index.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The catalogue of instruments. */
export interface Instruments {
  all(): readonly Instrument[];
  /** Returns the instrument of an exact canonical symbol. */
  find(symbol: string): Instrument | undefined;
  /** Returns the instrument of a canonical symbol or an alias such as BTCUSD. */
  resolve(symbolOrAlias: string): Instrument | undefined;
}

/**
 * Keys, owners, consent and restrictions. A rejected promise is answered as a service failure, never as a refusal.
 */
export interface Accounts {
  key(apiKey: string): Awaitable<ApiKey | undefined>;
  account(accountId: number): Awaitable<Account | undefined>;
}

/** Signed position of an account in an instrument. It must include every fill that the venue has reported. */
export interface Exposure {
  position(accountId: number, symbol: string): Awaitable<Quantity>;
}

/**
 * Time and turns.
 *
 * - `nowMs` is the wall clock, epoch milliseconds; it can be set, so it may step either way.
 * - `monotonicMs` never falls and never steps; only differences of it are meaningful.
 * - `schedule` runs once when `monotonicMs` has reached `atMs`, or later; the returned function cancels it.
 * - `soon` runs after input that already waits, so that many commands share one append.
 * - `onStep` is present if the clock can detect that the wall clock was set. It calls the listener with the
 *   difference until the returned function is called.
 */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  schedule(atMs: number, run: () => void): () => void;
  soon(run: () => void): void;
  onStep?(listener: (stepMs: number) => void): () => void;
}

/** Random letters and digits, for ids of calls that carry no signature. */
export interface Entropy {
  /** Returns `length` characters of 0-9, A-Z, a-z. */
  token(length: number): string;
}

/** Small durable values of a host, such as the clock of a sandbox. */
export interface KeyValueStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

/**
 * Receiver of the events that the engine and the service report. Fields never contain a secret, a signature or a key.
 */
export interface Telemetry {
  event(
    level: "debug" | "info" | "warn" | "error",
    name: string,
    fields: Readonly<Record<string, string | number>>,
  ): void;
}
