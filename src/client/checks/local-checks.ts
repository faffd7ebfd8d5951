import { type ErrorName, OrderError } from "../../errors/index.ts";
import { previewOrder } from "../../lifecycle/index.ts";
import { type ListFields, type ListForm, listAsSent, type OrderFields } from "../../requests/index.ts";
import type { LocalChecks } from "../methods/local-checks.ts";

/** Refusals that depend on the market, the account or the volumes of the service, which only the service knows. */
const OF_THE_SERVICE: ReadonlySet<ErrorName> = new Set([
  "NO_DEPTH",
  "REDUCE_ONLY_REJECTED",
  "NO_VOLUME_HISTORY",
]);

/** What a signed request carries beside the fields. The text of a refusal counts it. */
const PROOF = { nonce: 0, timestamp: 0, recvWindow: 0 } as const;

/**
 * The service's own checks of orders and lists, run before anything is sent: the same rules, codes and texts. Pass them
 * as `checks` to `createClient`. They are not part of the client itself, because they add the rules to a bundle. They
 * do not check what depends on the market or the account; only the service can check that. They assume the default
 * opening minimum. For a service with another minimum, write an object like this one that calls `previewOrder` with
 * `minimumNotional`.
 *
 * @example
 * ```ts
 * import { createClient, localChecks, RefusedError } from "managed-orders/client";
 * const client = createClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "a", secret: "b", checks: localChecks });
 * const order = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "0.0001" } as const;
 * client.placeOrder({ ...order, stopPrice: "58500" }).catch((error: unknown) => {
 *   if (error instanceof RefusedError) console.log(error.code, error.sent); // -1013 false
 * });
 * ```
 */
export const localChecks: LocalChecks = {
  order(fields, nowMs) {
    const { refusal } = previewOrder({ ...fields, ...PROOF } as unknown as OrderFields, { nowMs });
    return refusal !== undefined && OF_THE_SERVICE.has(refusal.reason) ? undefined : refusal;
  },
  list(form, fields) {
    try {
      const sent = { ...fields, ...PROOF } as unknown as ListFields[ListForm];
      listAsSent(form, sent, (field) => field);
      return undefined;
    } catch (error) {
      if (error instanceof OrderError) return error;
      throw error;
    }
  },
};
