import type { Notional, Price, Quantity } from "../decimal/index.ts";
import type { Fill, Side } from "./child-order.ts";

/**
 * A condition of a cancel: ONLY_NEW cancels the order only if nothing is executed, ONLY_PARTIALLY_FILLED only if
 * something is executed (convention 3.3).
 */
export type CancelRestriction = "ONLY_NEW" | "ONLY_PARTIALLY_FILLED";

/** Status of a native order (contract, Native order snapshot). */
export type NativeStatus = "NEW" | "PARTIALLY_FILLED" | "FILLED" | "CANCELED" | "EXPIRED" | "REJECTED";

/**
 * Lifetime of a native order: GTC works until canceled, IOC executes at once what it can, FOK executes at once in
 * full or not at all.
 */
export type NativeTimeInForce = "GTC" | "IOC" | "FOK";

/** Business reason of a refusal (contract, Native order snapshot; convention 1, gap 5). */
export type RejectReason =
  | "UNKNOWN_INSTRUMENT"
  | "MARKET_CLOSED"
  | "PRICE_QTY_EXCEED_HARD_LIMITS"
  | "UNKNOWN_ORDER"
  | "DUPLICATE_ORDER"
  | "UNKNOWN_ACCOUNT"
  | "INSUFFICIENT_BALANCES"
  | "ACCOUNT_INACTIVE"
  | "WOULD_MATCH_IMMEDIATELY"
  | "STOP_PRICE_WOULD_TRIGGER_IMMEDIATELY"
  | "OCO_BAD_PRICES"
  | "REDUCE_ONLY_REJECT"
  | "MIN_NOTIONAL"
  | "OTHER";

/** Why an order ended without being filled (contract, Native order snapshot; convention 1, gap 6). */
export type ExecutionReason =
  | "REJECTED"
  | "USER_CANCELED"
  | "EXCHANGE_CANCELED"
  | "OCO_TRIGGER"
  | "OTO_PHASE_ONE_EXPIRED"
  | "UNFILLED_IOC_QUANTITY_EXPIRED"
  | "UNFILLED_FOK_ORDER_EXPIRED"
  | "INSUFFICIENT_LIQUIDITY"
  | "EXECUTION_RULE_PRICE_RANGE_EXCEEDED"
  | "EXPIRED_GTD"
  | "RESIDUAL_BELOW_MIN_NOTIONAL"
  | "SCHEDULE_ENDED"
  | "SYSTEM_FAILURE";

/** A limit order. It executes at its price or better. */
export interface NativeLimitTerms {
  readonly symbol: string;
  readonly side: Side;
  readonly type: "LIMIT";
  readonly timeInForce: NativeTimeInForce;
  readonly quantity: Quantity;
  readonly price: Price;
  readonly clientOrderId: string;
}

/** A market order, by base quantity or by an amount of USD to spend or to receive. */
export type NativeMarketTerms = {
  readonly symbol: string;
  readonly side: Side;
  readonly type: "MARKET";
  readonly clientOrderId: string;
} & ({ readonly quantity: Quantity } | { readonly quoteQuantity: Notional });

/** Terms of a native order in canonical form: aliases, defaults and decimals resolved (convention 3.1). */
export type NativeTerms = NativeLimitTerms | NativeMarketTerms;

/**
 * Latest state of a native order. `type`, `timeInForce` and `orderListId` are the host's: it may have kinds of orders
 * that cannot be placed here (contract, Native order snapshot).
 */
export interface NativeOrder {
  /** Positive, 64 bits. Beyond 2^53, odd ids protect a client that rounds them: a rounded id names no order. */
  readonly orderId: bigint;
  readonly accountId: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  /** Absent if the order is not a member of a list. */
  readonly orderListId?: bigint;
  readonly status: NativeStatus;
  readonly type: string;
  readonly side: Side;
  readonly timeInForce: string;
  readonly price?: Price;
  readonly stopPrice?: Price;
  /** For an order by amount: the quantity that the amount yielded. */
  readonly quantity: Quantity;
  /** Amount in USD of an order by amount. */
  readonly quoteQuantity?: Notional;
  readonly executedQuantity: Quantity;
  /** Sum of price · quantity over all fills, in USD. Without it, events have no average price. */
  readonly executedNotional?: Notional;
  readonly rejectReason?: RejectReason;
  readonly reason?: ExecutionReason;
  /** The recorded text, unescaped. The wire format escapes it. */
  readonly errorMessage?: string;
  /** Epoch milliseconds of the last change. */
  readonly updatedAtMs: number;
  /** Whether it is or was on the book. A filled order keeps true (convention 3.2). */
  readonly isWorking: boolean;
}

/** A fill of a native order, with its commission if the host reports it. */
export interface NativeFill extends Fill {
  readonly commission?: string;
  readonly commissionAsset?: string;
}

/** An event of a native order, and the order after it. */
export interface NativeExecution {
  /** Unique per host. */
  readonly executionId: string;
  readonly execType: "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "REJECTED";
  readonly order: NativeOrder;
  /** For a trade only. */
  readonly lastQuantity?: Quantity;
  readonly lastPrice?: Price;
  readonly timeMs: number;
}

/**
 * A new order that was refused for a business reason before it had an id. Fields that the request did not contain are
 * absent (contract, Errors, "Early new-order business rejections").
 */
export interface Rejection {
  /** 22 letters and digits, unique. */
  readonly rejectionId: string;
  readonly accountId: number;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side?: Side;
  readonly type?: string;
  readonly timeInForce?: string;
  readonly price?: Price;
  readonly stopPrice?: Price;
  readonly quantity?: Quantity;
  /** The negative error code of the answer. */
  readonly code: number;
  readonly rejectReason: RejectReason;
  /** The text of the answer, unchanged. */
  readonly errorMessage: string;
  /** Epoch milliseconds. */
  readonly timeMs: number;
}
