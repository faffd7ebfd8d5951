import { errorName, type OptionCheck, optionalOption, optionsOf, wholeOption } from "../../common/index.ts";
import { type ErrorName, OrderError } from "../../errors/index.ts";
import { harmless } from "../../host-answers/index.ts";
import type { Rejection, RejectReason } from "../../model/index.ts";
import type { RejectionQuery, Rejections } from "../../ports/index.ts";
import type { ServiceParts } from "./parts.ts";
import { isBusinessRefusal } from "./replies.ts";

/** Bounds of a rejection buffer. */
export interface RejectionBufferOptions {
  /** Rejections kept per account; default 16, as in the contract. Beyond it the oldest is dropped. */
  readonly perAccount?: number;
  /**
   * Accounts kept at once; default 10000. Beyond it the account that has gone longest without a rejection is dropped.
   */
  readonly maxAccounts?: number;
}

const bound = optionalOption(wholeOption({ from: 1 }));
const bufferOption: OptionCheck = optionsOf<RejectionBufferOptions>({
  perAccount: bound,
  maxAccounts: bound,
});

/**
 * Creates a store that keeps the newest rejections of each account in memory. A restart loses them. A service without a
 * rejections port uses it. Throws a TypeError or RangeError that names a bound that is unknown, of the wrong type or below
 * 1. Source: contract, Errors and Limits.
 *
 * @example
 * ```ts
 * import { createRejectionBuffer } from "managed-orders/service";
 * const rejections = createRejectionBuffer({ perAccount: 100 });
 * console.log(rejections.counts); // { retained: 0, lost: 0 }
 * ```
 */
export function createRejectionBuffer(options: RejectionBufferOptions = {}): Rejections {
  bufferOption(options, "createRejectionBuffer");
  const { perAccount = 16, maxAccounts = 10_000 } = options;
  /** Rejections by account, oldest first. The account refused last comes last. */
  const accounts = new Map<number, readonly Rejection[]>();
  let retained = 0;
  return {
    retain(rejection) {
      const { accountId } = rejection;
      const others = (accounts.get(accountId) ?? []).filter((one) => !isSameRefusal(one, rejection));
      const stored = [...others, rejection].slice(-perAccount);
      accounts.delete(accountId);
      accounts.set(accountId, stored);
      retained++;
      for (const oldest of accounts.keys()) {
        if (accounts.size <= maxAccounts) break;
        accounts.delete(oldest);
      }
    },
    list: (query) => selected(accounts.get(query.accountId) ?? [], query),
    get counts() {
      return { retained, lost: 0 };
    },
  };
}

/**
 * Returns whether two rejections are the same. A rejection replaces an earlier one of the same request, so that a
 * client that retries does not push the others out.
 */
function isSameRefusal(one: Rejection, other: Rejection): boolean {
  const { symbol, clientOrderId, code } = one;
  return symbol === other.symbol && clientOrderId === other.clientOrderId && code === other.code;
}

function selected(stored: readonly Rejection[], query: RejectionQuery): readonly Rejection[] {
  const { symbol, clientOrderId, startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY, limit } = query;
  return stored
    .filter((one) => symbol === undefined || one.symbol === symbol)
    .filter((one) => clientOrderId === undefined || one.clientOrderId === clientOrderId)
    .filter(({ timeMs }) => timeMs >= startTimeMs && timeMs <= endTimeMs)
    .slice(-limit);
}

/** A new order, native or managed, with the fields that its rejection records. */
type NewOrder = Readonly<{
  accountId: number;
  order: Pick<Rejection, "symbol" | "clientOrderId" | "timeInForce" | "price" | "stopPrice" | "quantity"> &
    Required<Pick<Rejection, "side" | "type">>;
}>;

const REASONS: ReadonlyMap<ErrorName, RejectReason> = new Map([
  ["MARKET_CLOSED", "MARKET_CLOSED"],
  ["DUPLICATE_ORDER", "DUPLICATE_ORDER"],
  ["INSUFFICIENT_BALANCE", "INSUFFICIENT_BALANCES"],
  ["ACCOUNT_DISABLED", "ACCOUNT_INACTIVE"],
  ["UNKNOWN_ACCOUNT", "ACCOUNT_INACTIVE"],
  ["ACCOUNT_RESTRICTED", "ACCOUNT_INACTIVE"],
  ["WOULD_MATCH", "WOULD_MATCH_IMMEDIATELY"],
  ["BAD_PRICE_RELATION", "OCO_BAD_PRICES"],
  ["REDUCE_ONLY_REJECTED", "REDUCE_ONLY_REJECT"],
  ["FILTER_NOTIONAL", "MIN_NOTIONAL"],
]);

const RANDOM_ID_LENGTH = 22;

/**
 * Retains the error with which placing a new order failed if it is a business refusal, and returns it. The contract keeps
 * "early new-order business rejections" and does not distinguish native from managed orders, so both are kept. Errors of
 * the request itself, its signature, its rate or the service are not kept. Neither are lists, because no look-up by an
 * order's client id finds them. Source: contract, Errors.
 */
export function retained(parts: ServiceParts, order: NewOrder, error: unknown): unknown {
  if (error instanceof OrderError && isBusinessRefusal(error.reason)) retain(parts, order, error);
  return error;
}

/** Stores a rejection. The caller receives the refusal even if storing it fails. */
function retain(parts: ServiceParts, order: NewOrder, error: OrderError): void {
  harmless(
    () => parts.rejections.retain(rejectionOf(parts, order, error)),
    (cause) => parts.telemetry.event("warn", "rejection.lost", { code: error.code, error: errorName(cause) }),
  );
}

function rejectionOf(parts: ServiceParts, { accountId, order }: NewOrder, error: OrderError): Rejection {
  const { symbol, side, type, clientOrderId, timeInForce, price, stopPrice, quantity } = order;
  return {
    rejectionId: parts.entropy.token(RANDOM_ID_LENGTH),
    accountId,
    symbol,
    clientOrderId,
    side,
    type,
    ...(timeInForce !== undefined && { timeInForce }),
    ...(price !== undefined && { price }),
    ...(stopPrice !== undefined && { stopPrice }),
    ...(quantity !== undefined && { quantity }),
    code: error.code,
    rejectReason: REASONS.get(error.reason) ?? "OTHER",
    errorMessage: error.msg,
    timeMs: parts.clock.nowMs(),
  };
}
