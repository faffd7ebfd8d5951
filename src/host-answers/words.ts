import type { ExecutionReason, NativeExecution, NativeStatus, RejectReason, Side } from "../model/index.ts";
import type { AccountUpdateReason } from "../ports/index.ts";

/** Returns all words of a type. The argument must name each of them. */
export const words = <T extends string>(all: Readonly<Record<T, true>>): readonly T[] =>
  Object.keys(all) as T[];

/** Both sides. */
export const SIDES: readonly Side[] = words<Side>({ BUY: true, SELL: true });

/** All statuses of a native order. */
export const NATIVE_STATUSES: readonly NativeStatus[] = words<NativeStatus>({
  NEW: true,
  PARTIALLY_FILLED: true,
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

type ExecutionType = NativeExecution["execType"];

/** All types of executions of a native order. */
export const EXECUTION_TYPES: readonly ExecutionType[] = words<ExecutionType>({
  NEW: true,
  TRADE: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

/** All reasons for which an order can be refused. */
export const REJECT_REASONS: readonly RejectReason[] = words<RejectReason>({
  UNKNOWN_INSTRUMENT: true,
  MARKET_CLOSED: true,
  PRICE_QTY_EXCEED_HARD_LIMITS: true,
  UNKNOWN_ORDER: true,
  DUPLICATE_ORDER: true,
  UNKNOWN_ACCOUNT: true,
  INSUFFICIENT_BALANCES: true,
  ACCOUNT_INACTIVE: true,
  WOULD_MATCH_IMMEDIATELY: true,
  STOP_PRICE_WOULD_TRIGGER_IMMEDIATELY: true,
  OCO_BAD_PRICES: true,
  REDUCE_ONLY_REJECT: true,
  MIN_NOTIONAL: true,
  OTHER: true,
});

/** All reasons for which a native order can end without being filled. */
export const EXECUTION_REASONS: readonly ExecutionReason[] = words<ExecutionReason>({
  REJECTED: true,
  USER_CANCELED: true,
  EXCHANGE_CANCELED: true,
  OCO_TRIGGER: true,
  OTO_PHASE_ONE_EXPIRED: true,
  UNFILLED_IOC_QUANTITY_EXPIRED: true,
  UNFILLED_FOK_ORDER_EXPIRED: true,
  INSUFFICIENT_LIQUIDITY: true,
  EXECUTION_RULE_PRICE_RANGE_EXCEEDED: true,
  EXPIRED_GTD: true,
  RESIDUAL_BELOW_MIN_NOTIONAL: true,
  SCHEDULE_ENDED: true,
  SYSTEM_FAILURE: true,
});

/** All reasons for which balances or positions can change. */
export const UPDATE_REASONS: readonly AccountUpdateReason[] = words<AccountUpdateReason>({
  ORDER: true,
  DEPOSIT: true,
  WITHDRAW: true,
  ADJUSTMENT: true,
  FUNDING_FEE: true,
  MARGIN_TRANSFER: true,
  ASSET_TRANSFER: true,
  ADMIN_DEPOSIT: true,
  ADMIN_WITHDRAW: true,
});
