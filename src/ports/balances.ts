import type { Awaitable } from "./host.ts";

/** A balance of an account in decimal strings. `locked` is reserved for open orders and not part of `free`. */
export interface AssetBalance {
  readonly asset: string;
  readonly free: string;
  readonly locked: string;
}

/** The balances of the host's accounts. */
export interface Balances {
  /** Returns one balance per asset of an account; none for an account without any. */
  balances(accountId: number): Awaitable<readonly AssetBalance[]>;
}
