import {
  executedPriceText,
  executedText,
  executedValueText,
  formatPrice,
  formatQuantity,
  type Price,
} from "../../decimal/index.ts";
import type { Engine } from "../../engine/index.ts";
import { listStatusOf, type StatusView, statusOf } from "../../lifecycle/index.ts";
import {
  type AmendedTerms,
  type OrderList,
  type ParentOrder,
  type ParentType,
  type StallCause,
  TRAITS,
  type TrailingDistance,
} from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import type {
  CompleteOf,
  IN_EVENTS,
  MANAGED_ORDER,
  ManagedOrder,
  OrderListView,
  TERMS_BEFORE,
  WrittenOf,
} from "../../replies/index.ts";
import { weightsOf } from "../../schedules/index.ts";
import type { JsonInput } from "../../wire/index.ts";

/**
 * Returns since when an order executes whenever the market allows: since its acceptance or release, or since its trigger
 * fired. Undefined while it waits for either.
 */
export function workingSince({
  intent,
  held,
  trigger,
  releasedAtMs,
  acceptedAtMs,
}: ParentOrder): number | undefined {
  if (held === true) return undefined;
  if (TRAITS[intent.type].trigger !== undefined) return trigger?.atMs;
  return releasedAtMs ?? acceptedAtMs;
}

/** Replaces the list id of an order that is in no list. */
export const NO_LIST = -1;

/** Data for a view besides the order: the instrument's id, the running dynamic limit and the running trigger level. */
export interface ManagedOrderContext {
  readonly instrumentId?: number | undefined;
  readonly runningLimit?: Price | undefined;
  readonly runningLevel?: Price | undefined;
}

const priced = (value: Price | undefined): string | undefined =>
  value === undefined ? undefined : formatPrice(value);

/** A managed order with every member, so that none is forgotten. */
type Complete = CompleteOf<typeof MANAGED_ORDER>;

/**
 * Returns the public view of a managed order, with its members in a fixed order. Source: contract, Managed order (parent)
 * response fields.
 *
 * @example
 * ```ts
 * import type { ParentOrder } from "managed-orders";
 * import { managedOrderView } from "managed-orders/service";
 * const line = (order: ParentOrder): string => {
 *   const { orderId, status, executedQty } = managedOrderView(order);
 *   return `${orderId} ${status} ${executedQty}`;
 * };
 * ```
 */
export function managedOrderView(order: ParentOrder, context: ManagedOrderContext = {}): ManagedOrder {
  const { intent } = order;
  const { trailing, schedule } = intent;
  const standing = statusOf(order);
  const view: Complete = {
    symbol: intent.symbol,
    instrumentId: context.instrumentId,
    account: order.accountId,
    accountId: order.accountId,
    orderId: order.orderId,
    clientOrderId: intent.clientOrderId,
    clOrdId: intent.clientOrderId,
    orderListId: order.list?.listId ?? NO_LIST,
    type: intent.type,
    targetStrategy: TRAITS[intent.type].targetStrategy,
    side: intent.side,
    origQty: formatQuantity(intent.quantity),
    executedQty: executedText(order),
    cummulativeQuoteQty: executedValueText(order),
    avgPrice: executedPriceText(order),
    price: priced(intent.price),
    stopPrice: priced(intent.stopPrice),
    ...distanceOf(trailing),
    limitOffset: priced(intent.limitOffset),
    dynamicLimit: dynamicLimitOf(order, context),
    triggerLevel: priced(
      order.trigger?.level ?? (order.ended === undefined ? context.runningLevel : undefined),
    ),
    triggerTime: order.trigger?.atMs,
    icebergQty: intent.icebergQuantity === undefined ? undefined : formatQuantity(intent.icebergQuantity),
    interval: schedule?.intervalMs,
    // From the plan: a VWAP on the service's own volumes gets its slots at admission.
    intervalCount: order.plan?.count,
    intervalDelay: schedule?.intervalDelayMs,
    participationBips: intent.participationBips,
    volumeProfile: profileText(order),
    volumeBenchmark: followsVolume(intent.type) ? "SERVICE_EXECUTED_VOLUME" : undefined,
    timeInForce: intent.timeInForce,
    childTimeInForce: intent.childTimeInForce,
    expireTime: intent.expireTimeMs,
    reduceOnly: intent.reduceOnly,
    status: standing.status,
    apiState: standing.apiState,
    apiManaged: true,
    held: standing.held,
    cancelPending: standing.cancelPending,
    stalled: stalledBy(order),
    lastChildClientOrderId: order.lastChildId,
    transactTime: order.acceptedAtMs,
    updateTime: order.updatedAtMs,
  };
  return view;
}

/** Weights as text. They are frozen when an order is accepted, so they are written once, however many answers show them. */
const profileTexts: WeakMap<object, string> = new WeakMap();

/** Returns the weights of a schedule. Weights from history are those that the plan has frozen. */
function profileText({ intent, plan }: ParentOrder): string | undefined {
  const weights = intent.schedule?.weights;
  const frozen = weights ?? plan?.cumulative;
  if (frozen === undefined) return undefined;
  const known = profileTexts.get(frozen);
  if (known !== undefined) return known;
  const text = (weights ?? (plan && weightsOf(plan)))?.join(",") ?? "";
  profileTexts.set(frozen, text);
  return text;
}

/** An order, and its status when an event happened. */
type OrderThen = Readonly<{ order: ParentOrder; view: StatusView }>;

type Trigger = Pick<Complete, "triggerLevel" | "triggerTime">;

/** Returns the members that events have under the same names, but for those of the trigger. */
export function membersInEvents({
  order,
  view,
}: OrderThen): Omit<Pick<Complete, (typeof IN_EVENTS)[number]>, keyof Trigger> {
  const { apiState, held, cancelPending } = view;
  return { apiState, held, cancelPending, stalled: stalledBy(order) };
}

/** Returns the members of the trigger in an event. A level that still moves is not one: it moves without events. */
export function triggerInEvents({ trigger }: ParentOrder): Trigger {
  return { triggerLevel: priced(trigger?.level), triggerTime: trigger?.atMs };
}

/** Returns terms that an amend has replaced, by the names of its fields. */
export function termsInEvents(terms: AmendedTerms): WrittenOf<typeof TERMS_BEFORE> {
  const { quantity, trailing, icebergQuantity } = terms;
  const before: CompleteOf<typeof TERMS_BEFORE> = {
    quantity: quantity === undefined ? undefined : formatQuantity(quantity),
    price: priced(terms.price),
    stopPrice: priced(terms.stopPrice),
    ...distanceOf(trailing),
    limitOffset: priced(terms.limitOffset),
    icebergQty: icebergQuantity === undefined ? undefined : formatQuantity(icebergQuantity),
    expireTime: terms.expireTimeMs,
  };
  return before;
}

type Distance = Pick<Complete, "trailingDelta" | "price2" | "trailingAmount">;

/** Returns a trailing distance in the member of its form. */
const distanceOf = (trailing: TrailingDistance | undefined): Distance => ({
  trailingDelta: trailing?.kind === "bps" ? trailing.bps : undefined,
  price2: trailing?.kind === "percent" ? formatPrice(trailing.percent) : undefined,
  trailingAmount: trailing?.kind === "amount" ? formatPrice(trailing.amount) : undefined,
});

const stalledBy = ({ stall }: ParentOrder): StallCause | undefined =>
  stall?.over === true ? undefined : stall?.cause;

function dynamicLimitOf(order: ParentOrder, context: ManagedOrderContext): string | undefined {
  if (order.intent.limitOffset === undefined) return undefined;
  const running = order.ended === undefined ? context.runningLimit : undefined;
  return priced(order.trigger?.limit ?? running);
}

function followsVolume(type: ParentType): boolean {
  const { schedule } = TRAITS[type];
  return schedule === "volume" || schedule === "participation";
}

/**
 * Returns the public view of an order list, with its members in a fixed order. `contextOf` returns the data that the view
 * of a leg needs. Source: contract, Linked order list reply; I44.
 *
 * @example
 * ```ts
 * import type { OrderList } from "managed-orders";
 * import { orderListView } from "managed-orders/service";
 * const line = (list: OrderList): string => {
 *   const { contingencyType, listOrderStatus, orders } = orderListView(list);
 *   return `${contingencyType} ${listOrderStatus} ${orders.length}`;
 * };
 * ```
 */
export function orderListView(
  list: OrderList,
  contextOf: (leg: ParentOrder) => ManagedOrderContext = () => ({}),
): OrderListView {
  const { symbol, legs } = list;
  const { listStatusType, listOrderStatus } = listStatusOf(list);
  return {
    orderListId: list.listId,
    contingencyType: list.contingency,
    ...(list.kind !== undefined && { listKind: list.kind }),
    listStatusType,
    listOrderStatus,
    listClientOrderId: list.listClientOrderId,
    transactionTime: list.acceptedAtMs,
    symbol,
    orders: legs.map(({ orderId, intent }) => ({ symbol, orderId, clientOrderId: intent.clientOrderId })),
    orderReports: legs.map((leg) => managedOrderView(leg, contextOf(leg))),
  };
}

/** Sources of the data that a view needs besides the order. */
type ViewParts = Readonly<{ engine: Engine; instruments: Instruments }>;

/** The route whose clients read a view. */
type ViewRoute = Readonly<{ compat?: true }>;

/** The route of a cancel, and its id if one was sent. */
type Canceled = Readonly<{ route: ViewRoute; cancelId?: string | undefined }>;

function contextOf({ instruments, engine }: ViewParts, order: ParentOrder): ManagedOrderContext {
  return {
    instrumentId: instruments.find(order.intent.symbol)?.id,
    runningLimit: engine.runningLimit(order),
    runningLevel: engine.runningLevel(order),
  };
}

/** Returns the public view of an order in its current state, as the clients of a route read it. */
export function viewOf(parts: ViewParts, order: ParentOrder, route: ViewRoute): ManagedOrder {
  return forRoute(route, order, managedOrderView(order, contextOf(parts, order)));
}

/** Returns the public view of a list in its current state, as the clients of a route read it. */
export function listViewOf(parts: ViewParts, list: OrderList, route: ViewRoute): OrderListView {
  const view = orderListView(list, (leg) => contextOf(parts, leg));
  const orderReports = list.legs.map((leg, index) =>
    forRoute(route, leg, view.orderReports[index] as ManagedOrder),
  );
  return { ...view, orderReports };
}

/**
 * Existing clients also read whether and since when an order works. The contract's managed order has no such members. They
 * do not read its trigger.
 */
function forRoute(
  { compat }: ViewRoute,
  order: ParentOrder,
  view: ManagedOrder,
): ManagedOrder & Readonly<{ isWorking?: boolean; workingTime?: number }> {
  if (compat !== true) return view;
  const workingTime = workingSince(order);
  // For an object of so many members, spreading takes three times as long as all the rest of the view.
  return Object.assign({}, view, {
    ...{ isWorking: workingTime !== undefined, workingTime: workingTime ?? -1 },
    ...{ triggerLevel: undefined, triggerTime: undefined },
  });
}

/**
 * Returns the reply to a cancel: the order with its client id as origClientOrderId, and the id of the cancel, if it has
 * one, in the place of the client id. Source: convention 3.3.
 */
export function canceledView(parts: ViewParts, order: ParentOrder, { route, cancelId }: Canceled): JsonInput {
  return withCanceledId(viewOf(parts, order, route), cancelId);
}

/**
 * Returns the reply to the cancel of a list. Each report of a leg that the cancel ended, or will end, has the form that
 * the cancel of its order would have. Source: convention 3.5.
 */
export function canceledListView(
  parts: ViewParts,
  list: OrderList,
  { route, cancelId }: Canceled,
): JsonInput {
  const view = listViewOf(parts, list, route);
  const reports = view.orderReports.map((report) =>
    withCanceledId(report, report.status === "CANCELED" || report.cancelPending ? cancelId : undefined),
  );
  return { ...view, orderReports: reports };
}

const withCanceledId = (view: ManagedOrder, cancelId: string = view.clientOrderId) => ({
  ...view,
  clientOrderId: cancelId,
  clOrdId: cancelId,
  origClientOrderId: view.clientOrderId,
});
