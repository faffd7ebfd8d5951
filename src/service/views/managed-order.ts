import {
  executedPriceText,
  executedText,
  executedValueText,
  formatPrice,
  formatQuantity,
  type Price,
} from "../../decimal/index.ts";
import { words } from "../../host-answers/index.ts";
import { type ApiState, type OrderStatus, type StatusView, statusOf } from "../../lifecycle/index.ts";
import {
  type ChildTimeInForce,
  ORDER_TYPES,
  type ParentOrder,
  type ParentType,
  type Side,
  type StallCause,
  type TimeInForce,
  TRAITS,
} from "../../model/index.ts";
import { weightsOf } from "../../schedules/index.ts";
import {
  decimal,
  flag,
  integer,
  long,
  type Members,
  type MembersOf,
  oneOf,
  only,
  optional,
  text,
  time,
} from "./schema.ts";

/**
 * A managed order as clients see it. Decimals are canonical strings, times are epoch milliseconds. A member that does
 * not apply is undefined and absent from the JSON. There is never a rejectReason, reason or errorMessage.
 * Source: contract, Managed order (parent) response fields; decision 15.
 */
export type ManagedOrder = Readonly<{
  symbol: string;
  instrumentId?: number | undefined;
  account: number;
  accountId: number;
  /** Negative; newer ids are lower. */
  orderId: number;
  clientOrderId: string;
  clOrdId: string;
  /** Negative, or -1 if the order is not a member of a list. */
  orderListId: number;
  type: ParentType;
  /** 180 TWAP, 1000002 VWAP, 1000004 POV. */
  targetStrategy?: number | undefined;
  side: Side;
  origQty: string;
  executedQty: string;
  /** Executed amount in USD: the sum of price · quantity over all fills. The spelling is that of the convention. */
  cummulativeQuoteQty: string;
  /** Average price of all fills, at 8 decimals; 0 without a fill. */
  avgPrice: string;
  price?: string | undefined;
  stopPrice?: string | undefined;
  /** Basis points. */
  trailingDelta?: number | undefined;
  /** Trailing percentage. */
  price2?: string | undefined;
  trailingAmount?: string | undefined;
  limitOffset?: string | undefined;
  /**
   * The limit that results from trigger level and limitOffset. It moves until the trigger, which freezes it (decision
   * 19).
   */
  dynamicLimit?: string | undefined;
  /** The level that was met or, until then, the one at which a trailing order triggers. That moves with the market. */
  triggerLevel?: string | undefined;
  /** Time of the trigger; absent until then. */
  triggerTime?: number | undefined;
  icebergQty?: string | undefined;
  /** Milliseconds of one slot of the schedule. */
  interval?: number | undefined;
  /** Slots of the schedule, frozen at admission. */
  intervalCount?: number | undefined;
  /** Milliseconds between acceptance and the first slot. */
  intervalDelay?: number | undefined;
  /** Share of the executed volume in basis points. */
  participationBips?: number | undefined;
  /** The weights that were sent, comma-separated, one for each slot. */
  volumeProfile?: string | undefined;
  /** The source of the executed volume that VWAP and POV follow. */
  volumeBenchmark?: "SERVICE_EXECUTED_VOLUME" | undefined;
  timeInForce: TimeInForce;
  childTimeInForce: ChildTimeInForce;
  expireTime?: number | undefined;
  reduceOnly: boolean;
  status: OrderStatus;
  apiState: ApiState;
  apiManaged: true;
  held: boolean;
  cancelPending: boolean;
  /** Why nothing of it executes although it should; absent unless the alert ORDER_STALLED stands. */
  stalled?: StallCause | undefined;
  lastChildClientOrderId?: string | undefined;
  /** Time of acceptance. */
  transactTime: number;
  updateTime: number;
}>;

/** Replaces the list id of an order that is in no list. */
export const NO_LIST = -1;

/** Data for a view besides the order: the instrument's id, the running dynamic limit and the running trigger level. */
export interface ManagedOrderContext {
  readonly instrumentId?: number | undefined;
  readonly runningLimit?: Price | undefined;
  readonly runningLevel?: Price | undefined;
}

const STATUSES = words<OrderStatus>({
  NEW: true,
  PARTIALLY_FILLED: true,
  PENDING_NEW: true,
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

const API_STATES = words<ApiState>({
  WAITING: true,
  WORKING: true,
  UNKNOWN: true,
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

const STALL_CAUSES = words<StallCause>({
  REFUSED: true,
  BELOW_MINIMUM: true,
  NO_FUNDS: true,
  STORE_SLOW: true,
  RATE: true,
  WAITING_FOR_EXPOSURE: true,
  LIMIT: true,
  HALTED: true,
});

const STRATEGIES = ORDER_TYPES.flatMap((type) => TRAITS[type].targetStrategy ?? []);

const priced = (value: Price | undefined): string | undefined =>
  value === undefined ? undefined : formatPrice(value);

/** Descriptions of the members of a managed order. */
export const MANAGED_ORDER: MembersOf<ManagedOrder> = {
  symbol: text("Symbol of the market."),
  instrumentId: optional(long("Id of the instrument.")),
  account: long("Account that owns the order."),
  accountId: long("The same value under another name."),
  orderId: long("Id of the order, a negative number. Newer orders have lower ids.", { maximum: -1 }),
  clientOrderId: text("Client id of the order."),
  clOrdId: text("The same value under another name."),
  orderListId: long("Id of the list of the order, a negative number; -1 if it is not part of a list.", {
    maximum: -1,
  }),
  type: oneOf(ORDER_TYPES, "Canonical type, under whatever name the order was sent."),
  targetStrategy: optional(
    integer("Strategy: 180 for TWAP, 1000002 for VWAP, 1000004 for POV.", { enum: STRATEGIES }),
  ),
  side: oneOf(["BUY", "SELL"], "Side of the order."),
  origQty: decimal("Ordered quantity."),
  executedQty: decimal("Executed quantity."),
  cummulativeQuoteQty: decimal("Executed amount in USD: the sum of price and quantity of each fill."),
  avgPrice: decimal("Average price of the fills in USD; 0 if there is none."),
  price: optional(decimal("Limit price in USD.")),
  stopPrice: optional(decimal("Stop price in USD.")),
  trailingDelta: optional(integer("Trailing distance in basis points.")),
  price2: optional(decimal("Trailing distance in percent.")),
  trailingAmount: optional(decimal("Trailing distance in USD.")),
  limitOffset: optional(decimal("Distance of the limit from the trigger price, in USD.")),
  dynamicLimit: optional(
    decimal(
      "Limit price derived from the trigger price. It moves until the order triggers, and is then fixed.",
    ),
  ),
  triggerLevel: optional(
    decimal(
      "Level of the trigger in USD: the one that was met; before, the one at which a trailing order triggers, which moves with the market.",
    ),
  ),
  triggerTime: optional(time("Time at which the order triggered. Absent until then.")),
  icebergQty: optional(decimal("Display quantity: the quantity shown at once.")),
  interval: optional(integer("Length of one slot in milliseconds.")),
  intervalCount: optional(integer("Number of slots of the schedule.")),
  intervalDelay: optional(integer("Delay before the first slot in milliseconds.")),
  participationBips: optional(integer("Share of the executed volume in basis points.")),
  volumeProfile: optional(
    text(
      "Weights of the slots: as sent, or as frozen from the service's own volumes when the order was accepted.",
    ),
  ),
  volumeBenchmark: optional(
    only("SERVICE_EXECUTED_VOLUME", "Source of the executed volume that the order follows."),
  ),
  timeInForce: oneOf(["GTC", "GTD"], "Time in force of the order."),
  childTimeInForce: oneOf(["IOC", "FOK"], "Time in force of each child."),
  expireTime: optional(time("Expiry of the order.")),
  reduceOnly: flag("Whether the order may only reduce a position."),
  status: oneOf(STATUSES, "Latest known status. PENDING_NEW: the leg waits for its release."),
  apiState: oneOf(
    API_STATES,
    "State of the order within the service. UNKNOWN: the outcome of a child is not known yet.",
  ),
  apiManaged: only(true, "The service manages the order."),
  held: flag("Whether the leg waits for its release by the working leg of its list."),
  cancelPending: flag("Whether the order is canceled once the outcome of its child is known."),
  stalled: optional(
    oneOf(
      STALL_CAUSES,
      "Why nothing of the order executes although its condition is met. Absent unless it is stalled.",
    ),
  ),
  lastChildClientOrderId: optional(text("Client id of the latest child, a native order.")),
  transactTime: time("Time at which the order was accepted."),
  updateTime: time("Time of the last change."),
};

/** Members that are quantities: POST orderStatus has them as whole numbers. */
export const QUANTITY_MEMBERS = ["origQty", "executedQty", "icebergQty"] as const;

/** Members that are prices: POST orderStatus has them as whole numbers. */
export const PRICE_MEMBERS = [
  "avgPrice",
  "price",
  "stopPrice",
  "trailingAmount",
  "limitOffset",
  "dynamicLimit",
  "triggerLevel",
] as const;

/** Name of a member that is a quantity or a price. */
export type ScaledMember = (typeof QUANTITY_MEMBERS | typeof PRICE_MEMBERS)[number];

/** Members that events have under the same names. */
const IN_EVENTS = ["apiState", "held", "cancelPending", "stalled"] as const;

/** Members of the trigger, which ORDER_TRADE_UPDATE alone has. */
const OF_TRIGGER = ["triggerLevel", "triggerTime"] as const;

/** Descriptions of the members that ORDER_TRADE_UPDATE has under the same names. */
export const MANAGED_ORDER_IN_EVENTS: Members = Object.fromEntries(
  [...IN_EVENTS, ...OF_TRIGGER].map((name) => [name, MANAGED_ORDER[name]]),
);

/** Requires every member, so that none is forgotten. */
type Complete = { readonly [K in keyof ManagedOrder]-?: ManagedOrder[K] };

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
export function membersInEvents({ order, view }: OrderThen): Pick<Complete, (typeof IN_EVENTS)[number]> {
  const { apiState, held, cancelPending } = view;
  return { apiState, held, cancelPending, stalled: stalledBy(order) };
}

/** Returns the members of the trigger in an event. A level that still moves is not one: it moves without events. */
export function triggerInEvents({ trigger }: ParentOrder): Pick<Complete, (typeof OF_TRIGGER)[number]> {
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
