import type { Notional, Price, Quantity, Scaled } from "../../decimal/index.ts";
import {
  type Activation,
  type AlertKind,
  type AmendedTerms,
  type Amends,
  type Cause,
  type ChildOrder,
  type ChildOutcome,
  type CountedPrint,
  type EarlyClose,
  type EndReason,
  type Fact,
  type Fill,
  type JournalRecord,
  type ListKind,
  type ListMembership,
  type OcaMode,
  type ParentChange,
  type ParentEnd,
  type ParentIntent,
  type ParentOrder,
  type PendingEnd,
  type QuoteStamp,
  type Replaced,
  type SchedulePlan,
  type ScheduleTerms,
  type Side,
  type Stall,
  type StallCause,
  type StopMove,
  type TerminalStatus,
  TRAITS,
  type TrailingDistance,
  type Trigger,
} from "../../model/index.ts";
import {
  executionIds,
  flag,
  integer,
  type Kind,
  list,
  object,
  optional,
  row,
  scaled,
  scaledOr,
  text,
  union,
  words,
  yes,
} from "./schema.ts";

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

const amendedTerms: Kind<AmendedTerms> = object<AmendedTerms>("amended terms", {
  quantity: optional(quantity),
  price: optional(price),
  stopPrice: optional(price),
  trailing: optional(trailing),
  limitOffset: optional(price),
  icebergQuantity: optional(quantity),
  expireTimeMs: optional(integer),
});

/** What amends have changed of an order. */
export const amends: Kind<Amends> = object<Amends>("amends", {
  count: integer,
  accepted: amendedTerms,
  named: list(object<Amends["named"][number]>("an amend", { amendId: text, terms: amendedTerms })),
  loosest: optional(price),
});

/** The slots of a schedule, frozen at admission. */
export const plan: Kind<SchedulePlan> = object<SchedulePlan>("a plan", {
  startsAtMs: integer,
  intervalMs: integer,
  count: integer,
  cumulative: optional(row<Scaled>(scaled())),
});

/** When and where a bracket moves its stop. */
const stopMove: Kind<StopMove> = object<StopMove>("the move of a stop", {
  after: integer,
  to: scaledOr<"ENTRY", Price>({ ENTRY: true }),
  offset: optional(price),
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
    shared: true,
  }),
  legs: list(integer),
  generatedClientId: optional(yes),
  kind: optional(words<ListKind>({ BRACKET: true, OCA: true })),
  mode: optional(words<OcaMode>({ CANCEL: true, REDUCE: true })),
  stopMove: optional(stopMove),
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

/** An unresolved child. */
export const child: Kind<ChildOrder> = object<ChildOrder>("a child", {
  childId: text,
  attempt: integer,
  quantity,
  limitPrice: optional(price),
  executedQuantity: quantity,
  executedFine: optional(integer),
  state: words<ChildOrder["state"]>({ SENT: true, OPEN: true, UNKNOWN: true }),
  intendedAtMs: integer,
  notAfterMs: integer,
  slot: optional(integer),
  problem: optional(text),
});

/** One execution at the venue. */
export const fill: Kind<Fill> = object<Fill>("a fill", {
  executionId: text,
  quantity,
  fine: optional(integer),
  price,
  timeMs: integer,
});

/** How a child was resolved. */
export const outcome: Kind<ChildOutcome> = words<ChildOutcome>({
  DONE: true,
  REJECTED: true,
  REJECTED_FINAL: true,
  VOIDED: true,
  WITHDRAWN: true,
});

const notional: Kind<Notional> = scaled();

const replaced: Kind<Replaced> = object<Replaced>("a replaced order", {
  orderId: optional(integer),
  clientOrderId: optional(text),
  canceled: optional(yes),
});

/** A parent order in snapshots and rows of ended orders. */
export const parent: Kind<ParentOrder> = object<ParentOrder>("a parent", {
  orderId: integer,
  accountId: integer,
  intent,
  acceptedAtMs: integer,
  acceptance: integer,
  aheadMs: optional(integer),
  updatedAtMs: integer,
  lastSequence: integer,
  activation: optional(activation),
  trigger: optional(trigger),
  list: optional(membership),
  held: optional(yes),
  releasedAtMs: optional(integer),
  postOnlyCleared: optional(yes),
  plan: optional(plan),
  nextSlot: optional(integer),
  volumeBefore: optional(quantity),
  volumeLogged: optional(yes),
  child: optional(child),
  earlyClose: optional(
    object<EarlyClose>("an early close", { child: optional(child), atMs: integer, waitMs: integer }),
  ),
  invalidReports: optional(list(text)),
  stall: optional(stall),
  attempts: integer,
  consecutiveUnfilled: integer,
  notBeforeMs: integer,
  executedQuantity: quantity,
  executedFine: optional(integer),
  executedNotional: notional,
  notionalFine: optional(integer),
  executions: executionIds,
  lastChildId: optional(text),
  pendingEnd: optional(pendingEnd),
  ended: optional(object<ParentEnd>("an end", { status, reason, atMs: integer })),
  replaces: optional(replaced),
  unreplaced: optional(text),
  frozen: optional(yes),
  restored: optional(yes),
  amends: optional(amends),
});

const quote: Kind<QuoteStamp> = object<QuoteStamp>("a quote", {
  symbol: text,
  bid: price,
  ask: price,
  timeMs: integer,
  sequence: integer,
});

const print: Kind<CountedPrint> = object<CountedPrint>("a print", {
  symbol: text,
  id: text,
  quantity,
  timeMs: integer,
  seenAtMs: integer,
  fresh: flag,
});

type CauseOf<K extends Cause["kind"]> = Extract<Cause, { kind: K }>;

const cause: Kind<Cause> = union<Cause>("cause", {
  PLACE: {},
  CANCEL: {},
  AMEND: {},
  QUOTE: { quote },
  TIMER: {
    timer: words<CauseOf<"TIMER">["timer"]>({
      EXPIRY: true,
      DEADLINE: true,
      RECONCILE: true,
      SLOT: true,
      EXPOSURE: true,
      STALL: true,
    }),
  },
  PRINT: { print },
  VENUE: {
    source: words<CauseOf<"VENUE">["source"]>({
      SUBMIT: true,
      EVENT: true,
      LOOKUP: true,
      VOID: true,
    }),
  },
  RECOVERY: {},
  OPERATOR: { by: text, why: text },
});

const alert: Kind<AlertKind> = words<AlertKind>({
  LATE_FILL: true,
  OVERFILL: true,
  UNKNOWN_ESCALATED: true,
  INVARIANT_BROKEN: true,
  POSITION_UNPROTECTED: true,
  VENUE_REPORT_INVALID: true,
  CHILD_BEYOND_LIMIT: true,
  ORDER_STALLED: true,
  ORDER_RESUMED: true,
});

const fact: Kind<Fact> = union<Fact>("fact", {
  ACCEPTED: {
    accountId: integer,
    intent,
    acceptance: integer,
    aheadMs: optional(integer),
    admissionPrice: optional(price),
    exposure: optional(quantity),
    posted: optional(yes),
    plan: optional(plan),
    volumeBefore: optional(quantity),
    volumeLogged: optional(yes),
    list: optional(membership),
    held: optional(yes),
    replaces: optional(replaced),
  },
  RELEASED: {},
  POSTED: {},
  ACTIVATED: { activation },
  TRIGGERED: { trigger },
  CHILD_INTENDED: {
    child,
    exposure: optional(quantity),
    volume: optional(quantity),
  },
  CHILD_OPEN: { childId: text },
  CHILD_UNKNOWN: { childId: text, problem: optional(text) },
  FILLED: { childId: text, fill },
  CHILD_CLOSED: {
    childId: text,
    outcome,
    detail: optional(text),
    notBeforeMs: optional(integer),
    lookUpAfterMs: optional(integer),
  },
  END_REQUESTED: { end: pendingEnd, unreplaced: optional(text) },
  ENDED: { status, reason },
  ALERT: { alert, detail: text, cause: optional(stallCause) },
  FROZEN: {},
  RESTORED: { attempts: integer },
  RESUMED: {},
  AMENDED: {
    before: amendedTerms,
    after: amendedTerms,
    amendId: optional(text),
    aheadMs: optional(integer),
  },
});

/** The kinds of facts. */
export const FACT_KINDS: readonly string[] = [...fact.shapes.keys()].map(String);

const wordsOf = ({ words }: Readonly<{ words: ReadonlyMap<unknown, string> }>): readonly string[] =>
  [...words.keys()].map(String);

/** The words of members that replies and events have too. */
export const JOURNAL_WORDS: Readonly<Record<"alert" | "endReason" | "stalled", readonly string[]>> = {
  alert: wordsOf(alert),
  endReason: wordsOf(reason),
  stalled: wordsOf(stallCause),
};

/** One durable step of one shard. */
export const record: Kind<JournalRecord> = object<JournalRecord>("a record", {
  shard: integer,
  sequence: integer,
  timeMs: integer,
  cause,
  changes: list(
    object<ParentChange>("a change", {
      orderId: integer,
      previous: integer,
      facts: list(fact),
    }),
  ),
});
