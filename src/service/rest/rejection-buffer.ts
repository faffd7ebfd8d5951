import { type OptionCheck, optionalOption, optionsOf, wholeOption } from "../../common/index.ts";
import type { Rejection } from "../../model/index.ts";
import type { RejectionQuery, Rejections } from "../../ports/index.ts";

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
