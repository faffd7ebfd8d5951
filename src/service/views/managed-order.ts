import {
  executedPriceText,
  executedText,
  executedValueText,
  formatPrice,
  formatQuantity,
  type Price,
} from "../../decimal/index.ts";
import { type StatusView, statusOf } from "../../lifecycle/index.ts";
import { type ParentOrder, type ParentType, type StallCause, TRAITS } from "../../model/index.ts";
import type { CompleteOf, MANAGED_ORDER, ManagedOrder } from "../../replies/index.ts";
import { weightsOf } from "../../schedules/index.ts";

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
 * Returns the public view of a managed order, with its members in a fixed order.
 * Source: contract, Managed order (parent) response fields; decisions 11, 15, 19, 29.
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
    trailingDelta: trailing?.kind === "bps" ? trailing.bps : undefined,
    price2: trailing?.kind === "percent" ? formatPrice(trailing.percent) : undefined,
    trailingAmount: trailing?.kind === "amount" ? formatPrice(trailing.amount) : undefined,
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

/** Returns the members that events have under the same names. */
export function membersInEvents({
  order,
  view,
}: OrderThen): Pick<Complete, "apiState" | "held" | "cancelPending" | "stalled"> {
  const { apiState, held, cancelPending } = view;
  return { apiState, held, cancelPending, stalled: stalledBy(order) };
}

/** Returns the members of the trigger in an event. A level that still moves is not one: it moves without events. */
export function triggerInEvents({ trigger }: ParentOrder): Pick<Complete, "triggerLevel" | "triggerTime"> {
  return { triggerLevel: priced(trigger?.level), triggerTime: trigger?.atMs };
}

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
