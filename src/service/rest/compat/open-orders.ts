import { OrderError } from "../../../errors/index.ts";
import { CHILD_PREFIX } from "../../../lifecycle/index.ts";
import { readAllOrdersPage, readCanceledMarket, readOpenMarketOrders } from "../../../requests/index.ts";
import type { Parameters, Scalar } from "../../../wire/index.ts";
import { accountOf, inSeveralSteps } from "../../access/ownership.ts";
import { nativeOrderView, viewForRoute } from "../../views/native-order-view.ts";
import { viewOf } from "../../views/views.ts";
import { allOrders } from "../native-handlers.ts";
import { cancelOrder } from "../order-handlers.ts";
import type { Answer, ServiceParts, SignedCall } from "../parts.ts";
import type { Members } from "./views.ts";

/** The orders of an account in one market, or in all. */
type Wanted = Readonly<{ accountId: number; symbol?: string }>;

/** Orders that one page of the engine or of the host has. */
const PAGE = 1_000;

/** Open orders that one answer may have. */
const MOST = 10_000;

/**
 * GET /compat/api/v3/openOrders: the open managed and native orders of one market, or of all, oldest change first.
 * Children of managed orders are left out: their parent is listed. Throws an OrderError -1130 for an account with more
 * than 10,000 open orders, and -1020 if the host has native orders and cannot list the open ones. Source: decision NB.
 */
export async function openMarketOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { symbol, ...actor } = readOpenMarketOrders(call.parameters, resolverOf(parts));
  const accountId = await accountOf(parts, call, actor);
  return {
    body: byTime(
      await openOf(parts, call, {
        accountId,
        ...(symbol !== undefined && { symbol }),
      }),
    ),
  };
}

/**
 * DELETE /compat/api/v3/openOrders: cancels every open order of a market and returns what each cancel returned, the
 * whole list for a leg. An order that ends meanwhile is left out. With nothing open it is -2011, as in the convention.
 * A failure after an order was canceled is -1006. Throws as {@link openMarketOrders} does. Source: decisions NB and XR;
 * convention 3.3.
 */
export async function cancelMarketOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { symbol, ...actor } = readCanceledMarket(call.parameters, resolverOf(parts));
  const accountId = await accountOf(parts, call, actor);
  const open = onePerList(await openOf(parts, call, { accountId, symbol }));
  const reports = await inSeveralSteps(
    allOver(open.map((order) => cancelIfOpen(parts, call, { accountId, order }))),
  );
  if (reports.length === 0) throw new OrderError("CANCEL_REJECTED");
  return { body: reports };
}

/**
 * GET /compat/api/v3/allOrders: the newest managed and native orders of a market, open and ended, oldest change first:
 * those among the newest 1,000 managed orders of the account and the newest 1,000 native orders of the market. A positive
 * orderId begins a scan of native orders only. Children of managed orders are left out. Throws as GET /api/v2/allOrders
 * does. Source: decision NB.
 */
export async function marketOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const page = readAllOrdersPage(call.parameters, resolverOf(parts));
  const accountId = await accountOf(parts, call, page);
  if (page.orderId !== undefined && page.orderId > 0n) {
    return { body: await scanned(parts, call, { fromOrderId: page.orderId, limit: page.limit }) };
  }
  const native = (await nativePage(parts, call)).filter(isNoChild);
  const { startTimeMs = 0, endTimeMs = Number.MAX_SAFE_INTEGER, clientOrderId } = page;
  const { orders } = await parts.engine.page({
    ...{ accountId, includeHistory: true, newestFirst: true, limit: PAGE, afterOrderId: 0 },
  });
  const managed = orders.filter(
    ({ intent, updatedAtMs }) =>
      intent.symbol === page.symbol &&
      (clientOrderId === undefined || intent.clientOrderId === clientOrderId) &&
      updatedAtMs >= startTimeMs &&
      updatedAtMs <= endTimeMs,
  );
  const all = byTime([...native, ...managed.map((order) => viewOf(parts, order))]);
  return { body: all.slice(-page.limit) };
}

/**
 * Returns a page of the native orders that a call is about, children included: the newest, or those from an id on. It is
 * as large as a page can be, because children take places in it that the answer does not show.
 */
async function nativePage(
  parts: ServiceParts,
  call: SignedCall,
  fromOrderId?: bigint,
): Promise<readonly Members[]> {
  if (parts.native === undefined) return [];
  const parameters = new Map(call.parameters);
  parameters.set("limit", textOf(PAGE));
  parameters.delete("orderId");
  if (fromOrderId !== undefined) parameters.set("orderId", textOf(fromOrderId));
  return (await allOrders(parts, { ...call, parameters })).body as readonly Members[];
}

const textOf = (value: number | bigint): Scalar => ({ text: String(value), kind: "text" });

/**
 * Returns the first native orders from an id on that are no children. A client ends its scan at an empty answer, so the
 * answer is empty only if no order follows. Throws an OrderError -1130, with the id to go on from, if 10,000 children
 * follow one another.
 */
async function scanned(
  parts: ServiceParts,
  call: SignedCall,
  { fromOrderId, limit }: Readonly<{ fromOrderId: bigint; limit: number }>,
): Promise<readonly Members[]> {
  const found: Members[] = [];
  let nextId = fromOrderId;
  for (let looked = 0; looked < MOST; looked += PAGE) {
    const page = await nativePage(parts, call, nextId);
    for (const order of page) if (isNoChild(order)) found.push(order);
    if (found.length >= limit || page.length < PAGE) return found.slice(0, limit);
    nextId = (page.at(-1)?.orderId as bigint) + 1n;
  }
  if (found.length > 0) return found;
  const advice = `The next ${MOST} orders are children of managed orders. Continue with orderId=${nextId}.`;
  throw new OrderError("INVALID_PARAMETER", { field: "orderId", advice });
}

const resolverOf =
  ({ instruments }: ServiceParts) =>
  (symbol: string) =>
    instruments.resolve(symbol);

const isNoChild = ({ clientOrderId }: Members): boolean => !String(clientOrderId).startsWith(CHILD_PREFIX);

const timeOf = ({ updateTime }: Members): number => updateTime as number;

const byTime = (orders: readonly Members[]): readonly Members[] =>
  orders.toSorted((a, b) => timeOf(a) - timeOf(b));

async function openOf(parts: ServiceParts, call: SignedCall, wanted: Wanted): Promise<readonly Members[]> {
  const [managed, native] = [await openManaged(parts, wanted), await openNative(parts, call, wanted)];
  return [...managed, ...native];
}

async function openManaged(parts: ServiceParts, { accountId, symbol }: Wanted): Promise<readonly Members[]> {
  const found: Members[] = [];
  const page = { accountId, includeHistory: false, newestFirst: false, limit: PAGE };
  for (let afterOrderId = 0; ; ) {
    const { orders, nextOrderId, total } = await parts.engine.page({ ...page, afterOrderId });
    if (total > MOST) throw tooMany();
    for (const order of orders) {
      if (symbol === undefined || order.intent.symbol === symbol) found.push(viewOf(parts, order));
    }
    if (nextOrderId === 0) return found;
    afterOrderId = nextOrderId;
  }
}

async function openNative(
  { native }: ServiceParts,
  { route }: SignedCall,
  wanted: Wanted,
): Promise<readonly Members[]> {
  if (native === undefined) return [];
  const open = await native.open?.({ ...wanted, limit: MOST + 1 });
  if (open === undefined) throw new OrderError("UNSUPPORTED_OPERATION");
  if (open.length > MOST) throw tooMany();
  const { isPaperTrade } = native;
  return open
    .map((order) => viewForRoute(route, order, nativeOrderView({ order, isPaperTrade })))
    .filter(isNoChild);
}

function tooMany(): OrderError {
  const advice = `The account has more than ${MOST} open orders. Page through the managed ones with GET /api/v3/openOrders.`;
  return new OrderError("INVALID_PARAMETER", { field: "symbol", advice });
}

/** Returns the orders with one leg of each list: its cancel ends the whole list. */
function onePerList(orders: readonly Members[]): readonly Members[] {
  const seen = new Set<unknown>();
  return orders.filter(({ apiManaged, orderListId }) => {
    if (apiManaged !== true || orderListId === -1) return true;
    if (seen.has(orderListId)) return false;
    seen.add(orderListId);
    return true;
  });
}

/**
 * Resolves to the reports of some cancels. If some fail, rejects once all are over: with the first failure if nothing was
 * canceled for certain, else with an OrderError -1006, because another error would say that nothing was done.
 */
async function allOver(cancels: readonly Promise<Members | undefined>[]): Promise<readonly Members[]> {
  const results = await Promise.allSettled(cancels);
  const reports = results.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []));
  const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (failures.length === 0) return reports;
  if (reports.length === 0 && !failures.some(isUnknown)) throw failures[0];
  throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause: failures[0] });
}

/** Returns whether a failed cancel may have canceled its order all the same. */
const isUnknown = (error: unknown): boolean => !(error instanceof OrderError) || error.retry === "reconcile";

type OpenOrder = Readonly<{ accountId: number; order: Members }>;

/** Cancels an order through the handler of its own route. Returns undefined if it has ended meanwhile. */
async function cancelIfOpen(
  parts: ServiceParts,
  call: SignedCall,
  { accountId, order }: OpenOrder,
): Promise<Members | undefined> {
  const named = { symbol: order.symbol, orderId: order.orderId, account: accountId };
  const parameters: Parameters = new Map(
    Object.entries(named).map(([name, value]) => [name, { text: String(value), kind: "text" }]),
  );
  try {
    return (await cancelOrder(parts, { ...call, parameters })).body as Members;
  } catch (error) {
    if (error instanceof OrderError && error.reason === "CANCEL_REJECTED") return undefined;
    throw error;
  }
}
