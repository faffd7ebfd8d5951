import type { Price, Quantity, Scaled } from "../../../decimal/index.ts";
import {
  type Activation,
  type EndReason,
  type ListMembership,
  type ParentIntent,
  type PendingEnd,
  type SchedulePlan,
  type ScheduleTerms,
  type Side,
  type Stall,
  type StallCause,
  type TerminalStatus,
  TRAITS,
  type TrailingDistance,
  type Trigger,
} from "../../../model/index.ts";
import {
  flag,
  integer,
  type Kind,
  list,
  object,
  optional,
  row,
  scaled,
  text,
  union,
  words,
  yes,
} from "../schema.ts";

/** A price in 1e-8 USD. */
export const price: Kind<Price> = scaled();
/** A quantity in 1e-6 units. */
export const quantity: Kind<Quantity> = scaled();

const terms: Kind<ScheduleTerms> = object<ScheduleTerms>("a schedule", {
  intervalMs: integer,
  intervalCount: optional(integer),
  intervalDelayMs: integer,
  weights: optional(row(integer)),
});

const trailing: Kind<TrailingDistance> = union<TrailingDistance>("trailing distance", {
  bps: { bps: integer },
  percent: { percent: price },
  amount: { amount: price },
});

/** The request in canonical form. */
export const intent: Kind<ParentIntent> = object<ParentIntent>("an intent", {
  symbol: text,
  side: words<Side>({ BUY: true, SELL: true }),
  type: words(TRAITS),
  quantity,
  price: optional(price),
  stopPrice: optional(price),
  trailing: optional(trailing),
  limitOffset: optional(price),
  icebergQuantity: optional(quantity),
  schedule: optional(terms),
  participationBips: optional(integer),
  timeInForce: words<ParentIntent["timeInForce"]>({ GTC: true, GTD: true }),
  expireTimeMs: optional(integer),
  reduceOnly: flag,
  childTimeInForce: words<ParentIntent["childTimeInForce"]>({
    IOC: true,
    FOK: true,
  }),
  clientOrderId: text,
});

/** The slots of a schedule, frozen at admission. */
export const plan: Kind<SchedulePlan> = object<SchedulePlan>("a plan", {
  startsAtMs: integer,
  intervalMs: integer,
  count: integer,
  cumulative: optional(row<Scaled>(scaled())),
});

/** The place of an order in its list. */
export const membership: Kind<ListMembership> = object<ListMembership>("a list membership", {
  listId: integer,
  listClientOrderId: text,
  contingency: words<ListMembership["contingency"]>({
    OCO: true,
    OTO: true,
    OTOCO: true,
  }),
  role: words<ListMembership["role"]>({
    working: true,
    pending: true,
    protective: true,
    profit: true,
  }),
  legs: list(integer),
  generatedClientId: optional(yes),
});

/** The activation of a trailing trigger. */
export const activation: Kind<Activation> = object<Activation>("an activation", {
  position: integer,
  seed: price,
});

/** The firing of a trigger. */
export const trigger: Kind<Trigger> = object<Trigger>("a trigger", {
  level: price,
  observed: price,
  reference: optional(price),
  limit: optional(price),
  atMs: integer,
});

/** How an order ended. */
export const status: Kind<TerminalStatus> = words<TerminalStatus>({
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

/** Why an order ended. */
export const reason: Kind<EndReason> = words<EndReason>({
  FILLED: true,
  USER_CANCELED: true,
  EXPIRED_GTD: true,
  RESIDUAL_BELOW_MIN_NOTIONAL: true,
  REJECTED_BY_VENUE: true,
  OVERFILL: true,
  BEYOND_LIMIT: true,
  SCHEDULE_ENDED: true,
  WOULD_MATCH_IMMEDIATELY: true,
  OCO_TRIGGER: true,
  WORKING_LEG_ENDED: true,
  NOTHING_TO_REDUCE: true,
});

/** Why a parent is stalled. */
export const stallCause: Kind<StallCause> = words<StallCause>({
  REFUSED: true,
  BELOW_MINIMUM: true,
  NO_FUNDS: true,
  STORE_SLOW: true,
  RATE: true,
  WAITING_FOR_EXPOSURE: true,
  LIMIT: true,
  HALTED: true,
});

/** The alert of a stalled parent. */
export const stall: Kind<Stall> = object<Stall>("a stall", {
  cause: stallCause,
  alertedAtMs: integer,
  over: optional(yes),
});

/** The end that is due when the outcome of a child is known. */
export const pendingEnd: Kind<PendingEnd> = object<PendingEnd>("a pending end", {
  status: words<PendingEnd["status"]>({ CANCELED: true, EXPIRED: true }),
  reason,
});
