import type { ListKey } from "../../engine/index.ts";
import { OrderError, replyAfterDecision } from "../../errors/index.ts";
import type { OrderList } from "../../model/index.ts";
import {
  type ListForm,
  type ListKeyContext,
  type ListLookup,
  readListKey,
  readListPage,
  readListPlacement,
} from "../../requests/index.ts";
import { accountOf, inSeveralSteps, requireInTime } from "../access/ownership.ts";
import { canceledListView, listViewOf } from "../views/managed-order.ts";
import { clientIdsOf, managedId, readWithCatalogue } from "./look-ups.ts";
import type { Answer, ServiceParts, SignedCall, SignedHandler } from "./parts.ts";

/**
 * POST /api/v3/orderList/oco, /oto, /otoco, /bracket, /oca and the legacy POST /api/v3/order/oco: returns the whole list once it is
 * durable. A leg without a client id gets one derived from the signature and its field. A copy of an accepted list returns
 * that list. Source: contract, List creation rules; convention 3.5.
 */
export function placeList(form: ListForm): SignedHandler {
  return async (parts, call) => {
    const { accountId, list } = await readList(parts, call, form);
    const { placed, counts } = await parts.placements.placeList({
      ...{ accountId, list },
      notAfterMs: parts.expiresAtMs,
    });
    return { body: replyAfterDecision(() => listViewOf(parts, placed.list, call.route)), counts };
  };
}

/** Reads a list with the account that it is placed for. A copy of an accepted list needs no catalogue. */
const readList = (parts: ServiceParts, call: SignedCall, form: ListForm) =>
  readWithCatalogue(
    parts,
    call,
    (resolve) => readListPlacement(form, call.parameters, { resolve, clientId: clientIdsOf(call) }),
    async ({ accountId, list: { listClientOrderId, legs } }) => {
      const known = await parts.engine.findList({ accountId, listClientOrderId });
      return known !== undefined && known.symbol === legs[0]?.intent.symbol;
    },
  );

/**
 * GET /api/v3/orderList: finds a list by id, by client id or by both, open or ended. An unknown list, a list of another
 * account and a list of another symbol or instrument are all -2013. Two ids that name different lists are -2039. Source:
 * contract, List queries.
 */
export async function orderListStatus(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const list = await findList(parts, await readLookup(parts, call, "status"));
  if (list === undefined) throw new OrderError("NO_SUCH_ORDER");
  return { body: listViewOf(parts, list, call.route) };
}

/**
 * DELETE /api/v3/orderList: cancels every leg that has not ended and returns the list. A leg with a child in flight keeps
 * its status, with cancelPending true. A list that is unknown or all done is -2011. Source: contract, List queries.
 */
export async function cancelOrderList(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const lookup = await readLookup(parts, call, "cancel");
  const { accountId } = lookup;
  const found = await findList(parts, lookup);
  if (found === undefined) throw new OrderError("CANCEL_REJECTED");
  return await inSeveralSteps(cancelList(parts, call, { accountId, listId: found.listId }));
}

/** Cancels the list that a key names, as {@link cancelOrderList} does. */
export async function cancelList(parts: ServiceParts, { route }: SignedCall, key: ListKey): Promise<Answer> {
  requireInTime(parts);
  const list = await parts.engine.cancelList(key);
  return { body: replyAfterDecision(() => canceledListView(parts, list, { route })) };
}

/**
 * GET /api/v3/openOrderList: returns the lists with a leg that has not ended, oldest first. Source: contract, List
 * queries.
 */
export const openOrderLists: SignedHandler = pageOf("openLists");

/** GET /api/v3/allOrderList: returns open and ended lists, oldest first. Source: contract, List queries. */
export const allOrderLists: SignedHandler = pageOf("allLists");

function pageOf(which: "openLists" | "allLists"): SignedHandler {
  return async (parts, call) => {
    const page = readListPage(call.parameters);
    const accountId = await accountOf(parts, call, page);
    const lists = await parts.engine[which]({ ...page, accountId });
    return { body: await parts.longAnswers.map(lists, (list) => listViewOf(parts, list, call.route)) };
  };
}

const readLookup = (parts: ServiceParts, call: SignedCall, purpose: ListKeyContext["purpose"]) =>
  readWithCatalogue(
    parts,
    call,
    (resolve) => readListKey(call.parameters, { resolve, purpose }),
    async (lookup) => (await findList(parts, lookup)) !== undefined,
  );

/**
 * Returns the list that a lookup names, or undefined if that market has no such list. If two ids are sent, both must
 * name the same list (-2039).
 */
async function findList(
  { engine, instruments }: ServiceParts,
  lookup: ListLookup & Readonly<{ accountId: number }>,
): Promise<OrderList | undefined> {
  const { accountId, orderListId, listClientOrderId, symbol, instrumentId } = lookup;
  const listId = orderListId === undefined ? undefined : managedId(orderListId);
  if (orderListId !== undefined && listId === undefined) return undefined;
  const list = await engine.findList({
    accountId,
    ...(listId === undefined ? { listClientOrderId: listClientOrderId ?? "" } : { listId }),
  });
  if (list === undefined) return undefined;
  if (symbol !== undefined && list.symbol !== symbol) return undefined;
  if (instrumentId !== undefined && instruments.find(list.symbol)?.id !== instrumentId) return undefined;
  if (listClientOrderId !== undefined && list.listClientOrderId !== listClientOrderId) {
    throw new OrderError("CLIENT_ID_MISMATCH");
  }
  return list;
}
