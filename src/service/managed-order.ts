import { formatPrice, formatQuantity, type Price } from "../decimal/index.ts";
import { words } from "../host-answers/index.ts";
import {
  type ApiState,
  frozenLimitOf,
  type OrderStatus,
  type StatusView,
  statusOf,
} from "../lifecycle/index.ts";
import {
  type ChildTimeInForce,
  ORDER_TYPES,
  type ParentOrder,
  type ParentType,
  type Side,
  type TimeInForce,
  TRAITS,
} from "../model/index.ts";
import type { JsonInput } from "../wire/index.ts";
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
 * A managed order as clients see it; decimals are canonical strings, times epoch milliseconds. A member that does not
 * apply is left out; there is never a rejectReason, reason or errorMessage.
 * Source: contract, Managed order (parent) response fields; decision 15.
 */
export type ManagedOrder = Readonly<{
  symbol: string;
  instrumentId?: number;
  account: number;
  accountId: number;
  /** Negative; newer ids are lower. */
  orderId: number;
  clientOrderId: string;
  clOrdId: string;
  /** Negative; -1: not a member of a list. */
  orderListId: number;
  type: ParentType;
  /** 180 TWAP, 1000002 VWAP, 1000004 POV. */
  targetStrategy?: number;
  side: Side;
  origQty: string;
  executedQty: string;
  price?: string;
  stopPrice?: string;
  /** Basis points. */
  trailingDelta?: number;
  /** Trailing percentage. */
  price2?: string;
  trailingAmount?: string;
  limitOffset?: string;
  /** The limit that trigger level and limitOffset make: running before the trigger, frozen by it (decision 19). */
  dynamicLimit?: string;
  icebergQty?: string;
  /** Milliseconds of one slot of the schedule. */
  interval?: number;
  /** Slots of the schedule, as they were frozen at admission. */
  intervalCount?: number;
  /** Milliseconds between acceptance and the first slot. */
  intervalDelay?: number;
  /** Share of the executed volume in basis points. */
  participationBips?: number;
  /** Weights that were sent, comma separated, one for each slot. */
  volumeProfile?: string;
  /** Whose executed volume VWAP and POV follow. */
  volumeBenchmark?: "SERVICE_EXECUTED_VOLUME";
  timeInForce: TimeInForce;
  childTimeInForce: ChildTimeInForce;
  expireTime?: number;
  reduceOnly: boolean;
  status: OrderStatus;
  apiState: ApiState;
  apiManaged: true;
  held: boolean;
  cancelPending: boolean;
  lastChildClientOrderId?: string;
  /** When it was accepted. */
  transactTime: number;
  updateTime: number;
}>;

/** What stands in place of a list's id. */
const NO_LIST = -1;

/** What a view needs beside the order: its instrument's id, and its running dynamic limit. */
export type ManagedOrderContext = Readonly<{
  instrumentId?: number | undefined;
  runningLimit?: Price | undefined;
}>;

/** What the members are made of. */
type Source = Readonly<{ order: ParentOrder; standing: StatusView; context: ManagedOrderContext }>;

/** A member: what descriptions say of it, and where it comes from; undefined leaves it out. */
type Member<K extends keyof ManagedOrder> = Readonly<{
  schema: MembersOf<ManagedOrder>[K];
  of: (source: Source) => ManagedOrder[K];
  /** Whether events tell it too, under the same name. */
  inEvents?: true;
}>;

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

const STRATEGIES = ORDER_TYPES.flatMap((type) => TRAITS[type].targetStrategy ?? []);

const priced = (value: Price | undefined): string | undefined =>
  value === undefined ? undefined : formatPrice(value);

/** The one table of the members of a managed order, in the order in which they stand. */
const MEMBERS: { readonly [K in keyof ManagedOrder]-?: Member<K> } = {
  symbol: { schema: text("Symbol of the market."), of: ({ order }) => order.intent.symbol },
  instrumentId: {
    schema: optional(long("Id of the instrument.")),
    of: ({ context }) => context.instrumentId,
  },
  account: { schema: long("Account that owns the order."), of: ({ order }) => order.accountId },
  accountId: { schema: long("The same."), of: ({ order }) => order.accountId },
  orderId: {
    schema: long("Id of the order: negative; newer ids are lower.", { maximum: -1 }),
    of: ({ order }) => order.orderId,
  },
  clientOrderId: { schema: text("Your id of the order."), of: ({ order }) => order.intent.clientOrderId },
  clOrdId: { schema: text("The same."), of: ({ order }) => order.intent.clientOrderId },
  orderListId: {
    schema: long("Id of its list, negative; -1: it is in none.", { maximum: -1 }),
    of: ({ order }) => order.list?.listId ?? NO_LIST,
  },
  type: {
    schema: oneOf(ORDER_TYPES, "Canonical type, whatever name it was sent under."),
    of: ({ order }) => order.intent.type,
  },
  targetStrategy: {
    schema: optional(integer("180 TWAP, 1000002 VWAP, 1000004 POV.", { enum: STRATEGIES })),
    of: ({ order }) => TRAITS[order.intent.type].targetStrategy,
  },
  side: {
    schema: oneOf(["BUY", "SELL"], "Which way the order trades."),
    of: ({ order }) => order.intent.side,
  },
  origQty: {
    schema: decimal("Quantity that was asked for."),
    of: ({ order }) => formatQuantity(order.intent.quantity),
  },
  executedQty: {
    schema: decimal("Quantity that was executed."),
    of: ({ order }) => formatQuantity(order.executedQuantity),
  },
  price: { schema: optional(decimal("Limit price in USD.")), of: ({ order }) => priced(order.intent.price) },
  stopPrice: {
    schema: optional(decimal("Stop price in USD.")),
    of: ({ order }) => priced(order.intent.stopPrice),
  },
  trailingDelta: {
    schema: optional(integer("Trailing distance in basis points.")),
    of: ({ order: { intent } }) => (intent.trailing?.kind === "bps" ? intent.trailing.bps : undefined),
  },
  price2: {
    schema: optional(decimal("Trailing distance in percent.")),
    of: ({ order: { intent } }) =>
      intent.trailing?.kind === "percent" ? formatPrice(intent.trailing.percent) : undefined,
  },
  trailingAmount: {
    schema: optional(decimal("Trailing distance in USD.")),
    of: ({ order: { intent } }) =>
      intent.trailing?.kind === "amount" ? formatPrice(intent.trailing.amount) : undefined,
  },
  limitOffset: {
    schema: optional(decimal("Distance of the limit from the trigger, in USD.")),
    of: ({ order }) => priced(order.intent.limitOffset),
  },
  dynamicLimit: {
    schema: optional(decimal("The limit that the trigger makes: moving before it, fixed by it.")),
    of: dynamicLimitOf,
  },
  icebergQty: {
    schema: optional(decimal("Quantity that is shown at once.")),
    of: ({ order: { intent } }) =>
      intent.icebergQuantity === undefined ? undefined : formatQuantity(intent.icebergQuantity),
  },
  interval: {
    schema: optional(integer("Milliseconds of one slot.")),
    of: ({ order }) => order.intent.schedule?.intervalMs,
  },
  intervalCount: {
    schema: optional(integer("Slots of the schedule.")),
    // The plan's: a VWAP of the service's own volumes learns it at admission.
    of: ({ order }) => order.plan?.count,
  },
  intervalDelay: {
    schema: optional(integer("Milliseconds before the first slot.")),
    of: ({ order }) => order.intent.schedule?.intervalDelayMs,
  },
  participationBips: {
    schema: optional(integer("Share of the executed volume in basis points.")),
    of: ({ order }) => order.intent.participationBips,
  },
  volumeProfile: {
    schema: optional(text("Weights of the slots as they were sent.")),
    of: ({ order }) => order.intent.schedule?.weights?.join(","),
  },
  volumeBenchmark: {
    schema: optional(only("SERVICE_EXECUTED_VOLUME", "Whose executed volume it follows.")),
    of: ({ order }) => (followsVolume(order.intent.type) ? "SERVICE_EXECUTED_VOLUME" : undefined),
  },
  timeInForce: {
    schema: oneOf(["GTC", "GTD"], "How long it lives."),
    of: ({ order }) => order.intent.timeInForce,
  },
  childTimeInForce: {
    schema: oneOf(["IOC", "FOK"], "How each child is sent."),
    of: ({ order }) => order.intent.childTimeInForce,
  },
  expireTime: {
    schema: optional(time("When it ends by itself.")),
    of: ({ order }) => order.intent.expireTimeMs,
  },
  reduceOnly: {
    schema: flag("May only make a position smaller."),
    of: ({ order }) => order.intent.reduceOnly,
  },
  status: {
    schema: oneOf(STATUSES, "Latest known status; PENDING_NEW is a leg that waits for its release."),
    of: ({ standing }) => standing.status,
  },
  apiState: {
    schema: oneOf(
      API_STATES,
      "What the service does with it; UNKNOWN: the outcome of a child is not known yet.",
    ),
    of: ({ standing }) => standing.apiState,
    inEvents: true,
  },
  apiManaged: { schema: only(true, "It is managed by the service."), of: () => true },
  held: {
    schema: flag("Waits for its release by the working leg of its list."),
    of: ({ standing }) => standing.held,
    inEvents: true,
  },
  cancelPending: {
    schema: flag("To be canceled, once the outcome of its child is known."),
    of: ({ standing }) => standing.cancelPending,
    inEvents: true,
  },
  lastChildClientOrderId: {
    schema: optional(text("Client id of its latest child, a native order.")),
    of: ({ order }) => order.lastChildId,
  },
  transactTime: { schema: time("When it was accepted."), of: ({ order }) => order.acceptedAtMs },
  updateTime: { schema: time("When it changed last."), of: ({ order }) => order.updatedAtMs },
};

function dynamicLimitOf({ order, context }: Source): string | undefined {
  if (order.intent.limitOffset === undefined) return undefined;
  const running = order.ended === undefined ? context.runningLimit : undefined;
  return priced(frozenLimitOf(order) ?? running);
}

function followsVolume(type: ParentType): boolean {
  const { schedule } = TRAITS[type];
  return schedule === "volume" || schedule === "participation";
}

type Name = keyof ManagedOrder;

const NAMES = Object.keys(MEMBERS) as readonly Name[];
const NAMES_IN_EVENTS = NAMES.filter((name) => MEMBERS[name].inEvents === true);

function membersOf(names: readonly Name[], source: Source): Readonly<Partial<Record<Name, unknown>>> {
  const members: Partial<Record<Name, unknown>> = {};
  for (const name of names) {
    const value = MEMBERS[name].of(source);
    if (value !== undefined) members[name] = value;
  }
  return members;
}

/** What descriptions say of the members of a managed order. */
export const MANAGED_ORDER: MembersOf<ManagedOrder> = Object.fromEntries(
  NAMES.map((name) => [name, MEMBERS[name].schema]),
) as MembersOf<ManagedOrder>;

/** What descriptions say of the members that events tell under the same name. */
export const MANAGED_ORDER_IN_EVENTS: Members = Object.fromEntries(
  NAMES_IN_EVENTS.map((name) => [name, MEMBERS[name].schema]),
);

/**
 * The public view of a managed order, members in a fixed order.
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
  return membersOf(NAMES, { order, standing: statusOf(order), context }) as ManagedOrder;
}

/** The members that events tell of an order, as it stood then. */
export function membersInEvents(
  order: ParentOrder,
  standing: StatusView,
): Readonly<Record<string, JsonInput>> {
  return membersOf(NAMES_IN_EVENTS, { order, standing, context: {} }) as Record<string, JsonInput>;
}
