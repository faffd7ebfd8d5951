import type { Fill, Side } from "../model/index.ts";

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
export type BalanceNow = Readonly<{ asset: string; wallet: string; cross?: string; change: string }>;

/** A position after a change, in decimal strings. An amount below 0 is short. Omitted fields count as 0. */
export type PositionNow = Readonly<{
  symbol: string;
  amount: string;
  entryPrice?: string;
  breakEvenPrice?: string;
  realizedProfit?: string;
  unrealizedProfit?: string;
}>;

/** A change of an account: the current state of the balances and positions that may have changed. */
export type AccountUpdate = Readonly<{
  reason: AccountUpdateReason;
  timeMs: number;
  balances: readonly BalanceNow[];
  positions: readonly PositionNow[];
}>;

/** A position whose margin runs short, in decimal strings. */
export type PositionAtRisk = Readonly<{
  symbol: string;
  side: "BOTH" | "LONG" | "SHORT";
  amount: string;
  marginType: "CROSSED" | "ISOLATED";
  isolatedWallet?: string;
  markPrice: string;
  unrealizedProfit: string;
  maintenanceMargin: string;
}>;

/** A margin call. `crossWallet` is the cross balance if a crossed position is concerned. */
export type MarginCall = Readonly<{ crossWallet?: string; positions: readonly PositionAtRisk[] }>;

/** An event of an account that the host sends by itself. */
export type AccountEvent = Readonly<
  { accountId: number } & ({ update: AccountUpdate } | { call: MarginCall })
>;

/** A fill that has just been announced. */
export type ToldFill = Readonly<{ accountId: number; symbol: string; side: Side; fill: Fill }>;

/**
 * Changes of balances, positions and risk for the private stream. Times are epoch milliseconds (contract, Events,
 * "order, position and risk updates"; decision 45).
 */
export type AccountEvents = {
  /**
   * Returns what a fill changed. Called right after the order's event went out, so that the two come in this order.
   */
  afterFill(fill: ToldFill): AccountUpdate | undefined;
  /** Delivers every change that no fill caused, until the returned function is called. */
  subscribe(listener: (event: AccountEvent) => void): () => void;
};
