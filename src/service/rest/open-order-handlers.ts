import { readCancelAll, readOpenOrdersPage } from "../../requests/index.ts";
import { accountOf, inSeveralSteps } from "../access/ownership.ts";
import { viewOf } from "../views/views.ts";
import type { Answer, ServiceParts, SignedCall } from "./parts.ts";

/**
 * GET /api/v3/openOrders: returns a page of managed orders over all markets. `newestFirst` is present only if it was
 * requested.
 * Source: contract, Managed-order page envelope.
 */
export async function openOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { includeHistory, newestFirst, limit, afterOrderId, ...actor } = readOpenOrdersPage(call.parameters);
  const accountId = await accountOf(parts, call, actor);
  const page = await parts.engine.page({ accountId, includeHistory, newestFirst, limit, afterOrderId });
  return {
    body: {
      apiManaged: true,
      includesHistory: includeHistory,
      ...(newestFirst && { newestFirst }),
      total: page.total,
      nextOrderId: page.nextOrderId,
      orders: await parts.longAnswers.map(page.orders, (order) => viewOf(parts, order, call.route)),
    },
  };
}

/** DELETE /api/v3/openOrders: cancels all managed orders of the account. Source: contract, Cancel-all result; decision 36. */
export async function cancelAllOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const accountId = await accountOf(parts, call, readCancelAll(call.parameters));
  const { matchedCount, canceledCount, cancelPendingCount } = await inSeveralSteps(
    parts.engine.cancelAll(accountId),
  );
  return { body: { matchedCount, canceledCount, cancelPendingCount } };
}
