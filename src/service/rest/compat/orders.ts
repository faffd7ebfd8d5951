import { nextTurn } from "../../../common/index.ts";
import { OrderError } from "../../../errors/index.ts";
import { CHILD_PREFIX } from "../../../lifecycle/index.ts";
import type { NativeOrder, ParentOrder } from "../../../model/index.ts";
import {
  openOrdersWeight,
  readAllOrdersPage,
  readCanceledMarket,
  readOpenMarketOrders,
} from "../../../requests/index.ts";
import { inSeveralSteps } from "../../access/ownership.ts";
import { refuseExcess, weigh } from "../../access/rate-limits.ts";
import { viewOf } from "../../views/managed-order.ts";
import { cancelList } from "../list-handlers.ts";
import { readWithCatalogue } from "../look-ups.ts";
import { type AccountPage, hasOrders, nativeOrders } from "../native-handlers.ts";
import { anyViewOf, cancelNamed } from "../order-handlers.ts";
import type { Answer, ServiceParts, SignedCall } from "../parts.ts";
import type { Members } from "./forms.ts";

/** The orders of an account in one market, or in all. */
type Wanted = Readonly<{ accountId: number; symbol?: string | undefined }>;

/** Orders that one page of the engine or of the host has. */
const PAGE = 1_000;

/** Open orders that one answer may have. */
const MOST = 10_000;

/** Pages of the newest orders that one answer is made of. Long weights of schedules end a page before its 1,000 orders. */
const MOST_PAGES = 8;

/**
 * Returns those of the newest 1,000 managed orders of an account that are of a market, open and ended. Throws an OrderError
 * -1130 if these 1,000 are too large for one answer.
 */
async function newestManaged(
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
async function openManaged(
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
function tooMany(): OrderError {
  return refused(`The account has more than ${MOST} open orders.`);
}

function refused(problem: string): OrderError {
  const advice = `${problem} Page through the managed ones with GET /api/v3/openOrders.`;
  return new OrderError("INVALID_PARAMETER", { field: "symbol", advice });
}

/**
 * GET /compat/api/v3/openOrders: the open managed and native orders of one market, or of all, oldest change first. Children
 * of managed orders are left out: their parent is listed. Throws an OrderError -1130 for an account with more than 10,000
 * open orders, and -1020 if the host has native orders and cannot list the open ones.
 */
export async function openMarketOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { accountId, symbol } = await readWithCatalogue(
    parts,
    call,
    (resolve) => readOpenMarketOrders(call.parameters, resolve),
    (wanted) => hasOpen(parts, wanted),
  );
  const managed = await openManaged(parts, { accountId, symbol });
  const native = await openNative(parts, { accountId, symbol });
  await weighRest(parts, call, managed.length + native.length);
  const rows = await parts.longAnswers.map(
    [...managed, ...native],
    (order): Members => anyViewOf(parts, order, call.route),
  );
  return { body: byTime(rows) };
}

/**
 * Counts what a number of open orders weighs beyond the weight of the request, which was counted before anything was read.
 * Throws an OrderError -1003 above the limit of the address.
 */
async function weighRest(parts: ServiceParts, call: SignedCall, orders: number): Promise<void> {
  const { address, route, parameters } = call;
  const counted = typeof route.weight === "number" ? route.weight : route.weight(parameters);
  const weight = openOrdersWeight(orders) - counted;
  if (weight <= 0) return;
  refuseExcess(parts, address, await weigh(parts, { address, weight }));
}

/**
 * DELETE /compat/api/v3/openOrders: cancels every open order of a market, and every list with an open leg there, and
 * returns what each cancel returned. An order or list that ends meanwhile is left out. With nothing open it is -2011, as in
 * the convention. A failure after an order was canceled is -1006. Throws as {@link openMarketOrders} does. Source:
 * convention 3.3.
 */
export async function cancelMarketOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { accountId, symbol } = await readWithCatalogue(
    parts,
    call,
    (resolve) => readCanceledMarket(call.parameters, resolve),
    (wanted) => hasOpen(parts, wanted),
  );
  const managed = await openManaged(parts, { accountId, symbol });
  const native = await openNative(parts, { accountId, symbol });
  const singles = [...managed.filter(({ list }) => list === undefined), ...native];
  const cancels = [
    ...listsOf(managed).map((listId) => () => cancelList(parts, call, { accountId, listId })),
    ...singles.map(({ orderId }) => () => {
      return cancelNamed(parts, call, { accountId, symbol, orderId: BigInt(orderId) });
    }),
  ];
  const reports = await inSeveralSteps(allOver(parts, cancels));
  if (reports.length === 0) throw new OrderError("CANCEL_REJECTED");
  return { body: reports };
}

/**
 * GET /compat/api/v3/allOrders: the newest managed and native orders of a market, open and ended, oldest change first:
 * those among the newest 1,000 managed orders of the account and the newest 1,000 native orders of the market. A positive
 * orderId begins a scan of native orders only. Children of managed orders are left out. Throws as GET /api/v2/allOrders
 * does, and an OrderError -1130 if these managed orders are too large for one answer.
 */
export async function marketOrders(parts: ServiceParts, call: SignedCall): Promise<Answer> {
  const { orderId, ...page } = await readWithCatalogue(
    parts,
    call,
    (resolve) => readAllOrdersPage(call.parameters, { resolve, exactSymbol: false }),
    (wanted) => hasShown(parts, wanted),
  );
  if (orderId !== undefined && orderId > 0n) {
    return { body: await scanned(parts, call, { ...page, orderId }) };
  }
  const native = (await nativePage(parts, call, page)).filter(isNoChild);
  const { startTimeMs = 0, endTimeMs = Number.MAX_SAFE_INTEGER, clientOrderId } = page;
  const managed = (await newestManaged(parts, page)).filter(
    ({ intent, updatedAtMs }) =>
      (clientOrderId === undefined || intent.clientOrderId === clientOrderId) &&
      updatedAtMs >= startTimeMs &&
      updatedAtMs <= endTimeMs,
  );
  const views = await parts.longAnswers.map(managed, (order) => viewOf(parts, order, call.route));
  const all = byTime([...native, ...views]);
  return { body: all.slice(-page.limit) };
}

/** Returns whether an account has orders in a market that {@link marketOrders} looks at. */
async function hasShown(parts: ServiceParts, { accountId, symbol }: AccountPage): Promise<boolean> {
  const { native } = parts;
  if (native !== undefined && (await hasOrders(native, { accountId, symbol }))) return true;
  return (await newestManaged(parts, { accountId, symbol })).length > 0;
}

/**
 * Returns a page of the native orders that a call is about, children included: the newest, or those from an id on. It is
 * as large as a page can be, because children take places in it that the answer does not show.
 */
async function nativePage(
  parts: ServiceParts,
  { route }: SignedCall,
  page: AccountPage,
): Promise<readonly Members[]> {
  if (parts.native === undefined) return [];
  return await nativeOrders(parts, route, { ...page, limit: PAGE });
}

/**
 * Returns the first native orders from an id on that are no children. A client ends its scan at an empty answer, so the
 * answer is empty only if no order follows. Throws an OrderError -1130, with the id to go on from, if 10,000 children
 * follow one another.
 */
async function scanned(
  parts: ServiceParts,
  call: SignedCall,
  { orderId, ...range }: AccountPage & Readonly<{ orderId: bigint }>,
): Promise<readonly Members[]> {
  const { limit } = range;
  const found: Members[] = [];
  let nextId = orderId;
  for (let looked = 0; looked < MOST; looked += PAGE) {
    const page = await nativePage(parts, call, { ...range, orderId: nextId });
    for (const order of page) if (isNoChild(order)) found.push(order);
    if (found.length >= limit || page.length < PAGE) return found.slice(0, limit);
    nextId = (page.at(-1)?.orderId as bigint) + 1n;
  }
  if (found.length > 0) return found;
  const advice = `The next ${MOST} orders are children of managed orders. Continue with orderId=${nextId}.`;
  throw new OrderError("INVALID_PARAMETER", { field: "orderId", advice });
}

const isNoChild = ({ clientOrderId }: Readonly<{ clientOrderId?: unknown }>): boolean =>
  !String(clientOrderId).startsWith(CHILD_PREFIX);

const timeOf = ({ updateTime }: Members): number => updateTime as number;

const byTime = (orders: readonly Members[]): readonly Members[] =>
  orders.toSorted((a, b) => timeOf(a) - timeOf(b));

async function openNative(
  { native }: ServiceParts,
  { accountId, symbol }: Wanted,
): Promise<readonly NativeOrder[]> {
  if (native === undefined) return [];
  const wanted = { accountId, ...(symbol !== undefined && { symbol }) };
  const open = await native.open?.({ ...wanted, limit: MOST + 1 });
  if (open === undefined) throw new OrderError("UNSUPPORTED_OPERATION");
  if (open.length > MOST) throw tooMany();
  return open.filter(isNoChild);
}

/** Returns whether an account has open orders in a market. */
const hasOpen = async (parts: ServiceParts, wanted: Wanted): Promise<boolean> =>
  (await openManaged(parts, wanted)).length > 0 || (await openNative(parts, wanted)).length > 0;

/** Returns the ids of the lists of some orders. */
function listsOf(orders: readonly ParentOrder[]): readonly number[] {
  return [...new Set(orders.flatMap(({ list }) => list?.listId ?? []))];
}

type Cancel = () => Promise<Answer>;

/** Cancels that begin in one turn of the event loop. The rest follow in later turns. */
const CANCELS_PER_TURN = 64;

/**
 * Runs some cancels and resolves to the reports. If some cancels fail, rejects once all are over: with the first failure if
 * nothing was canceled for certain, else with an OrderError -1006, because another error would say that nothing was done.
 */
async function allOver({ clock }: ServiceParts, cancels: readonly Cancel[]): Promise<readonly Members[]> {
  const begun: Promise<readonly PromiseSettledResult<Members | undefined>[]>[] = [];
  for (let next = 0; next < cancels.length; next += CANCELS_PER_TURN) {
    if (next > 0) await nextTurn(clock);
    begun.push(Promise.allSettled(cancels.slice(next, next + CANCELS_PER_TURN).map(ifOpen)));
  }
  const results = (await Promise.all(begun)).flat();
  const reports = results.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []));
  const failures = results.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (failures.length === 0) return reports;
  if (reports.length === 0 && !failures.some(isUnknown)) throw failures[0];
  throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause: failures[0] });
}

/** Returns whether a failed cancel may have canceled its order all the same. */
const isUnknown = (error: unknown): boolean => !(error instanceof OrderError) || error.retry === "reconcile";

/** Runs a cancel. Resolves to its report, or to undefined if what it cancels has ended meanwhile. */
async function ifOpen(cancel: Cancel): Promise<Members | undefined> {
  try {
    return (await cancel()).body as Members;
  } catch (error) {
    if (error instanceof OrderError && error.reason === "CANCEL_REJECTED") return undefined;
    throw error;
  }
}
