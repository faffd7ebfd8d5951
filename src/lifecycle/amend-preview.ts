import {
  formatNotional,
  formatPrice,
  type Price,
  parseExactQuantity,
  price,
  roundedUp,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import {
  type AmendedTerms,
  type ChildOrder,
  ExecutionIds,
  type ListMembership,
  type ParentOrder,
  type ParentType,
  type ScheduleTerms,
  type Side,
  type TerminalStatus,
  TRAITS,
} from "../model/index.ts";
import { AMENDABLE, type AmendFields, amendmentIn, amendmentOf } from "../requests/index.ts";
import { schedulePlan } from "../schedules/index.ts";
import {
  executableSide,
  gateDirection,
  type LevelCondition,
  meets,
  referenceOf,
  stopDirection,
  trailingLevel,
} from "../triggers/index.ts";
import { admitAmend, amendObstacle, whyFixed } from "./amending.ts";
import { limitConditionOf, needsTrigger } from "./child-size.ts";
import {
  admissionContextOf,
  firesBelowMinimum,
  type OrderPreview,
  type PreviewContext,
  refusalIn,
  requireTime,
} from "./preview.ts";

/** What the preview of an amend needs of a managed order. A reply, such as that of `openOrders`, has all of it. */
export interface AmendableOrder extends Omit<AmendFields, "quantity" | "goodTillDate"> {
  readonly symbol: string;
  readonly side: Side;
  readonly type: string;
  readonly clientOrderId: string;
  readonly orderListId: string | number;
  readonly origQty: string;
  readonly executedQty: string;
  readonly interval?: number | undefined;
  readonly intervalCount?: number | undefined;
  readonly intervalDelay?: number | undefined;
  readonly participationBips?: number | undefined;
  readonly volumeProfile?: string | undefined;
  readonly timeInForce: string;
  readonly reduceOnly: boolean;
  readonly status: string;
  readonly apiState: string;
  readonly held: boolean;
  readonly cancelPending: boolean;
  readonly triggerLevel?: string | undefined;
  readonly triggerTime?: number | undefined;
  readonly dynamicLimit?: string | undefined;
  /** Time of acceptance, in epoch milliseconds. */
  readonly transactTime: number;
}

/** The answer that a service would give to an amend sent now, and what the order would do. */
export interface AmendPreview extends Pick<OrderPreview, "refusal" | "minimum" | "firesBelowMinimum"> {
  /** In USD: the price at which the order would trigger or, without a trigger before it, its limit. */
  readonly level?: string;
  /** Whether the quote is at the level or past it, so that the order would act at once. Absent without a quote or a level. */
  readonly actsAtOnce?: boolean;
}

/**
 * Previews an amend before it is sent, with the code that reads and admits it on the server. Of the order, only what replies show
 * is known: a child that is being looked up, or another leg of its list, may let the service refuse what this does not. The level
 * of a trailing order follows from the one that it has now. Throws a TypeError for an order of an unknown type, for a member of the
 * context that is unknown or cannot be read, and for an order with an expiry if `nowMs` is missing.
 *
 * @example
 * ```ts
 * import { previewAmend } from "managed-orders";
 * import type { ManagedOrderReply } from "managed-orders/client";
 * export function lowered(stop: ManagedOrderReply): string {
 *   const preview = previewAmend(stop, { stopPrice: "58000" }, { quote: { bid: "58500", ask: "58501" } });
 *   return preview.refusal?.remedy ?? (preview.actsAtOnce ? "acts at once" : "waits");
 * }
 * ```
 */
export function previewAmend(
  order: AmendableOrder,
  changes: AmendFields,
  context: PreviewContext = {},
): AmendPreview {
  const admission = admissionContextOf(context, "previewAmend");
  const minimum = formatNotional(admission.minimum);
  const before = orderOf(order);
  let terms: AmendedTerms = {};
  const refusal = refusalIn(() => {
    terms = amendmentOf(changes).terms;
    const obstacle = amendObstacle(before);
    if (obstacle !== undefined) throw obstacle;
    requireTime({ ...before.intent, ...terms }, context, "previewAmend");
    admitAmend({ order: before, legs: [before], terms }, admission);
  });
  if (refusal !== undefined) return { refusal, minimum };
  const after: ParentOrder = { ...before, intent: { ...before.intent, ...terms } };
  const condition = conditionOf(after, runningReference(before, order));
  const { quote } = admission;
  const rest = subtract(after.intent.quantity, roundedUp(before));
  const low = firesBelowMinimum({ ...after.intent, quantity: rest }, admission);
  return {
    minimum,
    ...(condition !== undefined && { level: formatPrice(condition.level) }),
    ...(condition !== undefined &&
      quote !== undefined && {
        actsAtOnce: !order.held && meets(condition, quote[executableSide(order.side)]),
      }),
    ...(low !== undefined && { firesBelowMinimum: low }),
  };
}

/**
 * Returns the fields that an amend can change of an order, by their names in a request: none of one that has ended or cannot be
 * amended, and all that it has while it only cannot be amended now. Throws a TypeError for an order of an unknown type.
 *
 * @example
 * ```ts
 * import { amendableFields } from "managed-orders";
 * import type { ManagedOrderReply } from "managed-orders/client";
 * export const canMove = (order: ManagedOrderReply): boolean => amendableFields(order).includes("stopPrice");
 * ```
 */
export function amendableFields(order: AmendableOrder): readonly (keyof AmendFields)[] {
  const parent = orderOf(order);
  if (amendObstacle(parent)?.reason === "AMEND_REJECTED") return [];
  const shown = termsShown(order);
  return AMENDABLE.flatMap(([term, fields]) =>
    whyFixed(parent, term) === undefined ? fields.filter((field) => shown[field] !== undefined) : [],
  );
}

/** Returns what an order waits for before it acts; undefined for one that waits for time or volume, or for nothing. */
function conditionOf(order: ParentOrder, reference: Price | undefined): LevelCondition | undefined {
  const { type, side, stopPrice, trailing } = order.intent;
  if (order.plan !== undefined || order.intent.participationBips !== undefined) return undefined;
  if (!needsTrigger(type) || order.trigger !== undefined) return limitConditionOf(order);
  if (trailing === undefined)
    return stopPrice === undefined
      ? undefined
      : { direction: gateDirection({ type, side }), level: stopPrice };
  if (reference === undefined) return undefined;
  const level = trailingLevel({ side: executableSide(side), reference, distance: trailing });
  return level > 0 ? { direction: stopDirection(side), level } : undefined;
}

/** Returns the reference of an order that trails now. */
function runningReference(
  { intent: { trailing, side } }: ParentOrder,
  { triggerLevel, triggerTime }: AmendableOrder,
): Price | undefined {
  if (trailing === undefined || triggerLevel === undefined || triggerTime !== undefined) return undefined;
  return referenceOf({ side: executableSide(side), level: price(triggerLevel), distance: trailing });
}

/** Returns the terms of an order, as an amend would send them. */
function termsShown(order: AmendableOrder): PlainFields {
  const fields = AMENDABLE.flatMap(([, names]) => names);
  const terms = fields.map((name) => [name, name === "quantity" ? order.origQty : Reflect.get(order, name)]);
  return Object.fromEntries(terms) as PlainFields;
}

type PlainFields = Parameters<typeof amendmentIn>[0];

const NO_LIST = "-1";

/** Returns an order as far as a reply shows it. */
function orderOf(shown: AmendableOrder): ParentOrder {
  const { type, symbol, side, clientOrderId, reduceOnly, participationBips, status, transactTime } = shown;
  if (!isType(type))
    throw new TypeError(`previewAmend.order.type ${type} is unknown: is there a newer version?`);
  const { quantity = ZERO_QUANTITY, ...terms } = amendmentIn(termsShown(shown)).terms;
  const schedule = scheduleOf(shown);
  const { quantity: executed = ZERO_QUANTITY, fine } = parseExactQuantity(shown.executedQty) ?? {};
  const hasEnded = ENDED.has(status);
  return {
    orderId: -1,
    accountId: 1,
    intent: {
      ...{ symbol, side, type, quantity, ...terms, clientOrderId, reduceOnly, childTimeInForce: "IOC" },
      timeInForce: shown.timeInForce === "GTD" ? "GTD" : "GTC",
      ...(schedule !== undefined && { schedule }),
      ...(participationBips !== undefined && { participationBips }),
    },
    acceptedAtMs: transactTime,
    updatedAtMs: transactTime,
    ...{ acceptance: 0, lastSequence: 0, attempts: 0, consecutiveUnfilled: 0, notBeforeMs: 0 },
    ...{ executedQuantity: executed, executedFine: fine, executions: ExecutionIds.NONE },
    executedNotional: ZERO_NOTIONAL,
    ...(schedule?.intervalCount !== undefined && {
      plan: schedulePlan({ acceptedAtMs: transactTime, schedule, count: schedule.intervalCount }),
    }),
    ...(String(shown.orderListId) !== NO_LIST && { list: LIST }),
    ...(shown.held && { held: true }),
    ...(shown.triggerTime !== undefined && { trigger: triggerOf(shown, shown.triggerTime) }),
    ...(shown.apiState !== "WAITING" && !hasEnded && { child: CHILD }),
    ...(shown.cancelPending && { pendingEnd: { status: "CANCELED", reason: "USER_CANCELED" } }),
    ...(hasEnded && { ended: { status: status as TerminalStatus, reason: "FILLED", atMs: transactTime } }),
  };
}

const isType = (type: string): type is ParentType => Object.hasOwn(TRAITS, type);

const ENDED: ReadonlySet<string> = new Set<TerminalStatus>(["FILLED", "CANCELED", "EXPIRED", "REJECTED"]);

/** What counts of a list is that there is one: a reply does not show which leg of it the order is. */
const LIST: ListMembership = {
  ...{ listId: -1, listClientOrderId: "", contingency: "OTO", role: "pending", legs: [] },
};

/** What counts of a child is that there is one. */
const CHILD: ChildOrder = {
  ...{ childId: "", attempt: 1, quantity: ZERO_QUANTITY, executedQuantity: ZERO_QUANTITY, state: "SENT" },
  ...{ intendedAtMs: 0, notAfterMs: 0 },
};

function triggerOf({ triggerLevel, dynamicLimit }: AmendableOrder, atMs: number): ParentOrder["trigger"] {
  const level = price(triggerLevel ?? "1");
  return { level, observed: level, atMs, ...(dynamicLimit !== undefined && { limit: price(dynamicLimit) }) };
}

function scheduleOf({
  interval,
  intervalCount,
  intervalDelay = 0,
  volumeProfile,
}: AmendableOrder): ScheduleTerms | undefined {
  if (interval === undefined) return undefined;
  return {
    ...{ intervalMs: interval, intervalDelayMs: intervalDelay },
    ...(intervalCount !== undefined && { intervalCount }),
    ...(volumeProfile !== undefined && {
      weights: volumeProfile.split(",").map((weight) => Number.parseInt(weight, 10)),
    }),
  };
}
