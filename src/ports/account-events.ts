import type { Fill, Side } from "../model/index.ts";

/** Why balances or positions changed, as the convention names it. Source: convention 4.10. */
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

/** A balance after a change, in decimal strings; `cross` is the part that is not isolated, by default all of it. */
export type BalanceNow = Readonly<{ asset: string; wallet: string; cross?: string; change: string }>;

/** A position after a change, in decimal strings; an amount below 0 is short. What is left out is 0. */
export type PositionNow = Readonly<{
  symbol: string;
  amount: string;
  entryPrice?: string;
  breakEvenPrice?: string;
  realizedProfit?: string;
  unrealizedProfit?: string;
}>;

/** What changed in an account: its balances and positions as they are now, those that may have changed. */
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

/** A margin call; `crossWallet` is the cross balance where a crossed position is concerned. */
export type MarginCall = Readonly<{ crossWallet?: string; positions: readonly PositionAtRisk[] }>;

/** What a host tells of an account by itself. */
export type AccountEvent = Readonly<
  { accountId: number } & ({ update: AccountUpdate } | { call: MarginCall })
>;

/** A fill that has just been told. */
export type ToldFill = Readonly<{ accountId: number; symbol: string; side: Side; fill: Fill }>;

/**
 * Changes of balances, positions and risk for the private stream. Times epoch milliseconds.
 * Source: contract, Events ("order, position and risk updates"); decision 45.
 */
export type AccountEvents = {
  /** What a fill changed: asked right after the order's event went out, so that the two come in this order. */
  afterFill(fill: ToldFill): AccountUpdate | undefined;
  /** Delivers everything that no fill caused, until the returned function is called. */
  subscribe(listener: (event: AccountEvent) => void): () => void;
};
