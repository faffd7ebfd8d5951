import type { Rejection } from "../../model/index.ts";
import type { RejectionQuery, Rejections } from "../../ports/index.ts";

/** Bounds of a rejection buffer. */
export type RejectionBufferOptions = Readonly<{
  /** Rejections of one account; default 16, as the contract has it. Beyond it the oldest is forgotten. */
  perAccount?: number;
  /** Accounts at once; default 10000. Beyond it the account that was longest without a rejection is forgotten. */
  maxAccounts?: number;
}>;

/**
 * Retains rejections in memory, the newest of each account; a restart forgets them. What a service does without a
 * rejections port of its own. Throws a RangeError for a bound below 1. Source: contract, Errors and Limits.
 *
 * @example
 * ```ts
 * import { createRejectionBuffer } from "managed-orders/service";
 * const rejections = createRejectionBuffer({ perAccount: 100 });
 * console.log(rejections.counts); // { retained: 0, lost: 0 }
 * ```
 */
export function createRejectionBuffer(options: RejectionBufferOptions = {}): Rejections {
  const { perAccount = 16, maxAccounts = 10_000 } = options;
  if (!(perAccount >= 1 && maxAccounts >= 1)) throw new RangeError("a rejection buffer holds at least one");
  /** Oldest first; the account that was refused last stands last. */
  const accounts = new Map<number, readonly Rejection[]>();
  let retained = 0;
  return {
    retain(rejection) {
      const { accountId } = rejection;
      const others = (accounts.get(accountId) ?? []).filter((one) => !isSameRefusal(one, rejection));
      const kept = [...others, rejection].slice(-perAccount);
      accounts.delete(accountId);
      accounts.set(accountId, kept);
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

/** The refusal of a request that was sent again takes the place of the first: a client that retries must not push the others out. */
function isSameRefusal(one: Rejection, other: Rejection): boolean {
  const { symbol, clientOrderId, code } = one;
  return symbol === other.symbol && clientOrderId === other.clientOrderId && code === other.code;
}

function selected(kept: readonly Rejection[], query: RejectionQuery): readonly Rejection[] {
  const { symbol, clientOrderId, startTimeMs = 0, endTimeMs = Number.POSITIVE_INFINITY, limit } = query;
  return kept
    .filter((one) => symbol === undefined || one.symbol === symbol)
    .filter((one) => clientOrderId === undefined || one.clientOrderId === clientOrderId)
    .filter(({ timeMs }) => timeMs >= startTimeMs && timeMs <= endTimeMs)
    .slice(-limit);
}
