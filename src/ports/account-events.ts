import type { Fill, Side } from "../model/index.ts";
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

/** Why balances or positions changed, in the terms of convention 4.10. */
export type AccountUpdateReason =
  | "ORDER"
  | "DEPOSIT"
  | "WITHDRAW"
  | "ADJUSTMENT"
  | "FUNDING_FEE"
  | "MARGIN_TRANSFER"
  | "ASSET_TRANSFER"
  | "ADMIN_DEPOSIT"
  | "ADMIN_WITHDRAW";

/** A balance after a change, in decimal strings. `cross` is the part that is not isolated, by default all of it. */
export interface BalanceNow {
  readonly asset: string;
  readonly wallet: string;
  readonly cross?: string;
  readonly change: string;
}

/** A position after a change, in decimal strings. An amount below 0 is short. Omitted fields count as 0. */
export interface PositionNow {
  readonly symbol: string;
  readonly amount: string;
  readonly entryPrice?: string;
  readonly breakEvenPrice?: string;
  readonly realizedProfit?: string;
  readonly unrealizedProfit?: string;
}

/** A change of an account: the current state of the balances and positions that may have changed. */
export interface AccountUpdate {
  readonly reason: AccountUpdateReason;
  readonly timeMs: number;
  readonly balances: readonly BalanceNow[];
  readonly positions: readonly PositionNow[];
}

/** A position whose margin is insufficient, in decimal strings. */
export interface PositionAtRisk {
  readonly symbol: string;
  readonly side: "BOTH" | "LONG" | "SHORT";
  readonly amount: string;
  readonly marginType: "CROSSED" | "ISOLATED";
  readonly isolatedWallet?: string;
  readonly markPrice: string;
  readonly unrealizedProfit: string;
  readonly maintenanceMargin: string;
}

/** A margin call. `crossWallet` is the cross balance if a crossed position is concerned. */
export interface MarginCall {
  readonly crossWallet?: string;
  readonly positions: readonly PositionAtRisk[];
}

/** Announces a change of an account. */
export interface AccountUpdateEvent {
  readonly accountId: number;
  readonly update: AccountUpdate;
}

/** Announces a margin call. */
export interface MarginCallEvent {
  readonly accountId: number;
  readonly call: MarginCall;
}

/** An event of an account that the host sends by itself. */
export type AccountEvent = AccountUpdateEvent | MarginCallEvent;

/** A fill that has just been announced. */
export interface ReportedFill {
  readonly accountId: number;
  readonly symbol: string;
  readonly side: Side;
  readonly fill: Fill;
}

/**
 * Changes of balances, positions and risk for the private stream. Times are epoch milliseconds (contract, Events, "order,
 * position and risk updates").
 */
export interface AccountEvents {
  /**
   * Returns what a fill changed. Called right after the order's event went out, so that the two come in this order.
   */
  afterFill(fill: ReportedFill): AccountUpdate | undefined;
  /** Delivers every change that no fill caused, until the returned function is called. */
  subscribe(listener: (event: AccountEvent) => void): () => void;
}
