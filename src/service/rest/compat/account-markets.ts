import { OrderError } from "../../../errors/index.ts";
import type { ParentOrder } from "../../../model/index.ts";
import type { ServiceParts } from "../parts.ts";

/** The orders of an account in one market, or in all. */
export type Wanted = Readonly<{ accountId: number; symbol?: string }>;

/** Orders that one page of the engine or of the host has. */
export const PAGE = 1_000;

/** Open orders that one answer may have. */
export const MOST = 10_000;

/** Pages of the newest orders that one answer is made of. Long weights of schedules end a page before its 1,000 orders. */
const MOST_PAGES = 8;

/**
 * Returns those of the newest 1,000 managed orders of an account that are of a market, open and ended. Throws an OrderError
 * -1130 if these 1,000 are too large for one answer.
 */
export async function newestManaged(
  { engine }: ServiceParts,
  { accountId, symbol }: Wanted,
): Promise<readonly ParentOrder[]> {
  const found: ParentOrder[] = [];
  const page = { accountId, includeHistory: true, newestFirst: true };
  let left = PAGE;
  let afterOrderId = 0;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { orders, nextOrderId } = await engine.page({ ...page, limit: left, afterOrderId });
    for (const order of orders) if (order.intent.symbol === symbol) found.push(order);
    left -= orders.length;
    if (left === 0 || nextOrderId === 0) return found;
    afterOrderId = nextOrderId;
  }
  throw refused(`The newest ${PAGE} managed orders of the account are too large for one answer.`);
}

/** Returns the open managed orders of an account. Throws an OrderError -1130 if the account has more than 10,000. */
export async function openManaged(
  { engine }: ServiceParts,
  { accountId, symbol }: Wanted,
): Promise<readonly ParentOrder[]> {
  const found: ParentOrder[] = [];
  const page = { accountId, includeHistory: false, newestFirst: false, limit: PAGE };
  for (let afterOrderId = 0; ; ) {
    const { orders, nextOrderId, total } = await engine.page({ ...page, afterOrderId });
    if (total > MOST) throw tooMany();
    for (const order of orders) if (symbol === undefined || order.intent.symbol === symbol) found.push(order);
    if (nextOrderId === 0) return found;
    afterOrderId = nextOrderId;
  }
}

/** Returns the refusal of an answer that would have more than 10,000 open orders. */
export function tooMany(): OrderError {
  return refused(`The account has more than ${MOST} open orders.`);
}

function refused(problem: string): OrderError {
  const advice = `${problem} Page through the managed ones with GET /api/v3/openOrders.`;
  return new OrderError("INVALID_PARAMETER", { field: "symbol", advice });
}
