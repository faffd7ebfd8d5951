import fc from "fast-check";
import { type Notional, normalise, type Price, type Quantity, type Scaled } from "../../src/decimal/index.ts";
import {
  type Activation,
  type AlertKind,
  type AmendedTerms,
  type Amends,
  type Cause,
  type ChildOrder,
  type ChildOutcome,
  type Contingency,
  type CountedPrint,
  type EarlyClose,
  type EndReason,
  ExecutionIds,
  type Fact,
  type Fill,
  type JournalRecord,
  type LegRole,
  type ListKind,
  type ListMembership,
  type MarketMark,
  type OcaMode,
  type ParentChange,
  type ParentEnd,
  type ParentIntent,
  type ParentOrder,
  type ParentType,
  type PendingEnd,
  type QuoteStamp,
  type Replaced,
  type SchedulePlan,
  type ScheduleTerms,
  type Stall,
  type StallCause,
  type StopMove,
  type TerminalStatus,
  type TrailingDistance,
  type Trigger,
} from "../../src/model/index.ts";

/** Values of every size up to `limit`, in the form of {@link Scaled}; small ones and the edges often. */
function scaled<T extends Scaled>(limit: bigint, from = 1n): fc.Arbitrary<T> {
  const edges = [from, BigInt(Number.MAX_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER) + 1n, limit];
  const value = fc.oneof(
    fc.bigInt({ min: from, max: 10n ** 9n }),
    fc.bigInt({ min: from, max: limit }),
    fc.constantFrom(...edges),
  );
  return value.map((each) => normalise(each) as T);
}

const BELOW_LIMIT = 10n ** 18n - 1n;

/** Prices from 1e-8 to just below 10^10 USD. */
export const anyPrice: fc.Arbitrary<Price> = scaled<Price>(BELOW_LIMIT);

/** Quantities from 1e-6 to just below 10^12 units. */
export const anyQuantity: fc.Arbitrary<Quantity> = scaled<Quantity>(BELOW_LIMIT);

/** Quantities, including zero. */
export const anyAmount: fc.Arbitrary<Quantity> = scaled<Quantity>(BELOW_LIMIT, 0n);

/** Signed exposures. */
export const anyExposure: fc.Arbitrary<Quantity> = scaled<Quantity>(BELOW_LIMIT, -BELOW_LIMIT);

/** USD amounts up to the largest price times the largest quantity. */
export const anyNotional: fc.Arbitrary<Notional> = scaled<Notional>(BELOW_LIMIT * BELOW_LIMIT, 0n);

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const count = fc.nat();
const managedId = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: -256 });
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom('{"n":"1"}', '"}],"v":2', "a\nb\u2028c", "\\", "__proto__"),
);
const name = fc.string({ unit: fc.constantFrom(..."aZ09._-"), minLength: 1, maxLength: 36 });
const symbol = fc.constantFrom("BTC/USD", "ETH/USD", "SOL/USD");

type Members<T> = { [K in keyof T]: fc.Arbitrary<T[K]> };
type OptionalKey<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type NeededMembers<T> = Members<Omit<T, OptionalKey<T>>>;
type Optional<T> = Members<Required<Pick<T, OptionalKey<T>>>>;

/**
 * A plain object, as a codec makes it, with the required members and any subset of the optional ones. A member that the
 * model has and this file does not name is a type error.
 */
function model<T extends object>(needed: NeededMembers<T>, optional: Optional<T>): fc.Arbitrary<T> {
  const requiredKeys = Object.keys(needed) as never[];
  const all = fc.record({ ...needed, ...optional }, { requiredKeys, noNullPrototype: true });
  return all as fc.Arbitrary<object> as fc.Arbitrary<T>;
}

/** Every word of a type; a word that the type has and this file does not name is a type error. */
function wordOf<T extends string>(words: Readonly<Record<T, true>>): fc.Arbitrary<T> {
  return fc.constantFrom(...(Object.keys(words) as T[]));
}

const yes = fc.constant(true as const);

const anyTerms = model<ScheduleTerms>(
  { intervalMs: count, intervalDelayMs: count },
  { intervalCount: count, weights: fc.array(fc.nat(999_999_999_999_999), { maxLength: 5 }) },
);

/** Plans; the sums of their weights may be beyond the safe integers. */
const anyPlan: fc.Arbitrary<SchedulePlan> = model<SchedulePlan>(
  { startsAtMs: time, intervalMs: count, count },
  { cumulative: fc.array(scaled<Scaled>(10n ** 22n, 0n), { maxLength: 5 }) },
);

const anyMembership = model<ListMembership>(
  {
    listId: managedId,
    listClientOrderId: name,
    contingency: wordOf<Contingency>({ OCO: true, OTO: true, OTOCO: true }),
    role: wordOf<LegRole>({ working: true, pending: true, protective: true, profit: true, shared: true }),
    legs: fc.array(managedId, { minLength: 2, maxLength: 3 }),
  },
  {
    generatedClientId: yes,
    kind: wordOf<ListKind>({ BRACKET: true, OCA: true }),
    mode: wordOf<OcaMode>({ CANCEL: true, REDUCE: true }),
    stopMove: model<StopMove>(
      { after: count, to: fc.oneof(fc.constant("ENTRY" as const), anyPrice) },
      { offset: anyPrice },
    ),
  },
);

type Trailing<K extends TrailingDistance["kind"]> = Extract<TrailingDistance, { kind: K }>;

const anyTrailing: fc.Arbitrary<TrailingDistance> = fc.oneof(
  model<Trailing<"bps">>({ kind: fc.constant("bps"), bps: count }, {}),
  model<Trailing<"percent">>({ kind: fc.constant("percent"), percent: anyPrice }, {}),
  model<Trailing<"amount">>({ kind: fc.constant("amount"), amount: anyPrice }, {}),
);

const anyAmendedTerms = model<AmendedTerms>(
  {},
  {
    quantity: anyQuantity,
    price: anyPrice,
    stopPrice: anyPrice,
    trailing: anyTrailing,
    limitOffset: anyPrice,
    icebergQuantity: anyQuantity,
    expireTimeMs: time,
  },
);

/** Intents of every type, without regard for which members may be combined. */
export const anyIntent: fc.Arbitrary<ParentIntent> = model<ParentIntent>(
  {
    symbol,
    side: fc.constantFrom("BUY", "SELL"),
    type: wordOf<ParentType>({
      SYNTHETIC_LIMIT: true,
      STOP_MARKET: true,
      STOP_LOSS_LIMIT: true,
      TAKE_PROFIT_MARKET: true,
      TAKE_PROFIT_LIMIT: true,
      TRAILING_STOP_MARKET: true,
      TRAILING_STOP_LIMIT: true,
      LIMIT_MAKER: true,
      ICEBERG: true,
      TWAP: true,
      VWAP: true,
      POV: true,
    }),
    quantity: anyQuantity,
    timeInForce: fc.constantFrom("GTC", "GTD"),
    reduceOnly: fc.boolean(),
    childTimeInForce: fc.constantFrom("IOC", "FOK"),
    clientOrderId: name,
  },
  {
    price: anyPrice,
    stopPrice: anyPrice,
    trailing: anyTrailing,
    limitOffset: anyPrice,
    icebergQuantity: anyQuantity,
    schedule: anyTerms,
    participationBips: count,
    expireTimeMs: time,
  },
);

const anyTrigger = model<Trigger>(
  { level: anyPrice, observed: anyPrice, atMs: time },
  { reference: anyPrice, limit: anyPrice },
);
const anyActivation = model<Activation>({ position: count, seed: anyPrice }, {});
/** What is below one step of an exact amount. */
const anyFine = fc.integer({ min: 1, max: 10 ** 12 - 1 });
/** Executions. */
export const anyFill: fc.Arbitrary<Fill> = model<Fill>(
  { executionId: text, quantity: anyQuantity, price: anyPrice, timeMs: time },
  { fine: anyFine },
);
const anyChild = model<ChildOrder>(
  {
    childId: name,
    attempt: count,
    quantity: anyQuantity,
    executedQuantity: anyAmount,
    state: fc.constantFrom("SENT", "OPEN", "UNKNOWN"),
    intendedAtMs: time,
    notAfterMs: time,
  },
  { limitPrice: anyPrice, executedFine: anyFine, slot: count, problem: text },
);
const reason = wordOf<EndReason>({
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
const status = wordOf<TerminalStatus>({ FILLED: true, CANCELED: true, EXPIRED: true, REJECTED: true });
const anyPendingEnd = model<PendingEnd>({ status: fc.constantFrom("CANCELED", "EXPIRED"), reason }, {});

const stallCause = wordOf<StallCause>({
  REFUSED: true,
  BELOW_MINIMUM: true,
  NO_FUNDS: true,
  STORE_SLOW: true,
  RATE: true,
  WAITING_FOR_EXPOSURE: true,
  LIMIT: true,
  HALTED: true,
});

const anyReplaced = model<Replaced>({}, { orderId: managedId, clientOrderId: name, canceled: yes });

/** Parents in any state, without regard for which members may be combined. */
export const anyParent: fc.Arbitrary<ParentOrder> = model<ParentOrder>(
  {
    orderId: managedId,
    accountId: count,
    intent: anyIntent,
    acceptedAtMs: time,
    acceptance: count,
    updatedAtMs: time,
    lastSequence: count,
    attempts: count,
    consecutiveUnfilled: count,
    notBeforeMs: time,
    executedQuantity: anyAmount,
    executedNotional: anyNotional,
    executions: fc.array(text, { maxLength: 20 }).map((ids) => ExecutionIds.of(ids)),
  },
  {
    executedFine: anyFine,
    notionalFine: anyFine,
    aheadMs: count,
    activation: anyActivation,
    trigger: anyTrigger,
    list: anyMembership,
    held: yes,
    releasedAtMs: time,
    postOnlyCleared: yes,
    restored: yes,
    plan: anyPlan,
    nextSlot: count,
    volumeBefore: anyAmount,
    volumeLogged: yes,
    invalidReports: fc.array(text, { maxLength: 3 }),
    stall: model<Stall>({ cause: stallCause, alertedAtMs: time }, { over: yes }),
    child: anyChild,
    earlyClose: model<EarlyClose>({ atMs: time, waitMs: count }, { child: anyChild }),
    lastChildId: name,
    pendingEnd: anyPendingEnd,
    ended: model<ParentEnd>({ status, reason, atMs: time }, {}),
    frozen: yes,
    replaces: anyReplaced,
    unreplaced: name,
    amends: model<Amends>(
      {
        count,
        accepted: anyAmendedTerms,
        named: fc.array(model<Amends["named"][number]>({ amendId: name, terms: anyAmendedTerms }, {}), {
          maxLength: 3,
        }),
      },
      { loosest: anyPrice },
    ),
  },
);

const anyStamp = model<QuoteStamp>(
  { symbol, bid: anyPrice, ask: anyPrice, timeMs: time, sequence: count },
  {},
);

/** Prints as they are counted. */
export const anyPrint: fc.Arbitrary<CountedPrint> = model<CountedPrint>(
  { symbol, id: text, quantity: anyQuantity, timeMs: time, seenAtMs: time, fresh: fc.boolean() },
  {},
);

type FactOf<K extends Fact["kind"]> = Extract<Fact, { kind: K }>;
type OneOfEach<T extends { kind: string }> = {
  [K in T["kind"]]: fc.Arbitrary<Extract<T, { kind: K }>>;
};

/** A fact of each kind. */
const facts: OneOfEach<Fact> = {
  ACCEPTED: model<FactOf<"ACCEPTED">>(
    { kind: fc.constant("ACCEPTED"), accountId: count, intent: anyIntent, acceptance: count },
    {
      aheadMs: count,
      admissionPrice: anyPrice,
      exposure: anyExposure,
      posted: yes,
      plan: anyPlan,
      volumeBefore: anyAmount,
      volumeLogged: yes,
      list: anyMembership,
      held: yes,
      replaces: anyReplaced,
    },
  ),
  RELEASED: model<FactOf<"RELEASED">>({ kind: fc.constant("RELEASED") }, {}),
  RESTORED: model<FactOf<"RESTORED">>({ kind: fc.constant("RESTORED"), attempts: count }, {}),
  RESUMED: model<FactOf<"RESUMED">>({ kind: fc.constant("RESUMED") }, {}),
  POSTED: model<FactOf<"POSTED">>({ kind: fc.constant("POSTED") }, {}),
  ACTIVATED: model<FactOf<"ACTIVATED">>({ kind: fc.constant("ACTIVATED"), activation: anyActivation }, {}),
  TRIGGERED: model<FactOf<"TRIGGERED">>({ kind: fc.constant("TRIGGERED"), trigger: anyTrigger }, {}),
  CHILD_INTENDED: model<FactOf<"CHILD_INTENDED">>(
    { kind: fc.constant("CHILD_INTENDED"), child: anyChild },
    { exposure: anyExposure, volume: anyAmount },
  ),
  CHILD_OPEN: model<FactOf<"CHILD_OPEN">>({ kind: fc.constant("CHILD_OPEN"), childId: name }, {}),
  CHILD_UNKNOWN: model<FactOf<"CHILD_UNKNOWN">>(
    { kind: fc.constant("CHILD_UNKNOWN"), childId: name },
    { problem: text },
  ),
  FILLED: model<FactOf<"FILLED">>({ kind: fc.constant("FILLED"), childId: name, fill: anyFill }, {}),
  CHILD_CLOSED: model<FactOf<"CHILD_CLOSED">>(
    {
      kind: fc.constant("CHILD_CLOSED"),
      childId: name,
      outcome: wordOf<ChildOutcome>({
        DONE: true,
        REJECTED: true,
        REJECTED_FINAL: true,
        VOIDED: true,
        WITHDRAWN: true,
      }),
    },
    { detail: text, notBeforeMs: time, lookUpAfterMs: count },
  ),
  END_REQUESTED: model<FactOf<"END_REQUESTED">>(
    { kind: fc.constant("END_REQUESTED"), end: anyPendingEnd },
    { unreplaced: name },
  ),
  ENDED: model<FactOf<"ENDED">>({ kind: fc.constant("ENDED"), status, reason }, {}),
  ALERT: model<FactOf<"ALERT">>(
    {
      kind: fc.constant("ALERT"),
      alert: wordOf<AlertKind>({
        LATE_FILL: true,
        OVERFILL: true,
        UNKNOWN_ESCALATED: true,
        INVARIANT_BROKEN: true,
        POSITION_UNPROTECTED: true,
        VENUE_REPORT_INVALID: true,
        CHILD_BEYOND_LIMIT: true,
        ORDER_STALLED: true,
        ORDER_RESUMED: true,
      }),
      detail: text,
    },
    { cause: stallCause },
  ),
  FROZEN: model<FactOf<"FROZEN">>({ kind: fc.constant("FROZEN") }, {}),
  AMENDED: model<FactOf<"AMENDED">>(
    { kind: fc.constant("AMENDED"), before: anyAmendedTerms, after: anyAmendedTerms },
    { amendId: name, aheadMs: count },
  ),
};

/** One fact of any kind. */
export const anyFact: fc.Arbitrary<Fact> = fc.oneof<fc.Arbitrary<Fact>[]>(...Object.values(facts));

type CauseOf<K extends Cause["kind"]> = Extract<Cause, { kind: K }>;

/** A cause of each kind. */
const causes: OneOfEach<Cause> = {
  PLACE: model<CauseOf<"PLACE">>({ kind: fc.constant("PLACE") }, {}),
  CANCEL: model<CauseOf<"CANCEL">>({ kind: fc.constant("CANCEL") }, {}),
  AMEND: model<CauseOf<"AMEND">>({ kind: fc.constant("AMEND") }, {}),
  RECOVERY: model<CauseOf<"RECOVERY">>({ kind: fc.constant("RECOVERY") }, {}),
  OPERATOR: model<CauseOf<"OPERATOR">>({ kind: fc.constant("OPERATOR"), by: text, why: text }, {}),
  QUOTE: model<CauseOf<"QUOTE">>({ kind: fc.constant("QUOTE"), quote: anyStamp }, {}),
  TIMER: model<CauseOf<"TIMER">>(
    {
      kind: fc.constant("TIMER"),
      timer: wordOf<CauseOf<"TIMER">["timer"]>({
        ...{ EXPIRY: true, DEADLINE: true, RECONCILE: true, SLOT: true, EXPOSURE: true, STALL: true },
      }),
    },
    {},
  ),
  PRINT: model<CauseOf<"PRINT">>({ kind: fc.constant("PRINT"), print: anyPrint }, {}),
  VENUE: model<CauseOf<"VENUE">>(
    {
      kind: fc.constant("VENUE"),
      source: wordOf<CauseOf<"VENUE">["source"]>({ SUBMIT: true, EVENT: true, LOOKUP: true, VOID: true }),
    },
    {},
  ),
};

/** One cause of any kind. */
export const anyCause: fc.Arbitrary<Cause> = fc.oneof<fc.Arbitrary<Cause>[]>(...Object.values(causes));

const anyChange = model<ParentChange>(
  { orderId: managedId, previous: count, facts: fc.array(anyFact, { maxLength: 4 }) },
  {},
);

/** Journal records with up to three changes of up to four facts. */
export const anyRecord: fc.Arbitrary<JournalRecord> = model<JournalRecord>(
  {
    shard: fc.nat(255),
    sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    timeMs: time,
    cause: anyCause,
    changes: fc.array(anyChange, { maxLength: 3 }),
  },
  {},
);

/** Marks of the market journal. */
export const anyMark: fc.Arbitrary<MarketMark> = model<MarketMark>(
  {
    shard: fc.nat(255),
    symbol,
    side: fc.constantFrom("ask", "bid"),
    position: count,
    price: anyPrice,
    timeMs: time,
  },
  {},
);
