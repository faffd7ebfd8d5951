import fc from "fast-check";
import { type Notional, normalise, type Price, type Quantity, type Scaled } from "../../src/decimal/index.ts";
import type {
  Cause,
  ChildOrder,
  Fact,
  Fill,
  JournalRecord,
  MarketMark,
  ParentIntent,
  ParentOrder,
  QuoteStamp,
} from "../../src/model/index.ts";

/** Values of every size up to `limit`, in the one form that {@link Scaled} has; small ones and the edges often. */
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

/** Quantities with zero among them. */
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

/** A plain object, as a codec makes it, with the required members and any of the optional ones or none. */
function withOptional<R extends object, O extends object>(
  required: Members<R>,
  optional: Members<O>,
): fc.Arbitrary<R & Partial<O>> {
  const requiredKeys = Object.keys(required) as never[];
  const all = fc.record({ ...required, ...optional }, { requiredKeys, noNullPrototype: true });
  return all as fc.Arbitrary<object> as fc.Arbitrary<R & Partial<O>>;
}

function record<R extends object>(members: Members<R>): fc.Arbitrary<R> {
  return withOptional(members, {});
}

/** Intents of every type, without regard for which members go together. */
export const anyIntent: fc.Arbitrary<ParentIntent> = withOptional(
  {
    symbol,
    side: fc.constantFrom("BUY", "SELL"),
    type: fc.constantFrom(
      "SYNTHETIC_LIMIT",
      "STOP_MARKET",
      "STOP_LOSS_LIMIT",
      "TAKE_PROFIT_MARKET",
      "TAKE_PROFIT_LIMIT",
      "TRAILING_STOP_MARKET",
      "TRAILING_STOP_LIMIT",
    ),
    quantity: anyQuantity,
    timeInForce: fc.constantFrom("GTC", "GTD"),
    reduceOnly: fc.boolean(),
    childTimeInForce: fc.constantFrom("IOC", "FOK"),
    clientOrderId: name,
  },
  {
    price: anyPrice,
    stopPrice: anyPrice,
    trailing: fc.oneof(
      record({ kind: fc.constant("bps" as const), bps: count }),
      record({ kind: fc.constant("percent" as const), percent: anyPrice }),
      record({ kind: fc.constant("amount" as const), amount: anyPrice }),
    ),
    limitOffset: anyPrice,
    expireTimeMs: time,
  },
);

const anyTrigger = withOptional(
  { level: anyPrice, observed: anyPrice, atMs: time },
  { reference: anyPrice, limit: anyPrice },
);
const anyActivation = record({ position: count, seed: anyPrice });
const anyFill: fc.Arbitrary<Fill> = record({
  executionId: text,
  quantity: anyQuantity,
  price: anyPrice,
  timeMs: time,
});
const anyChild: fc.Arbitrary<ChildOrder> = withOptional(
  {
    childId: name,
    attempt: count,
    quantity: anyQuantity,
    executedQuantity: anyAmount,
    state: fc.constantFrom("SENT", "OPEN", "UNKNOWN"),
    intendedAtMs: time,
  },
  { limitPrice: anyPrice },
);
const reason = fc.constantFrom(
  "FILLED" as const,
  "USER_CANCELED" as const,
  "EXPIRED_GTD" as const,
  "RESIDUAL_BELOW_MIN_NOTIONAL" as const,
  "REJECTED_BY_VENUE" as const,
  "OVERFILL" as const,
);
const terminal = fc.constantFrom(
  "FILLED" as const,
  "CANCELED" as const,
  "EXPIRED" as const,
  "REJECTED" as const,
);
const anyPendingEnd = record({ status: fc.constantFrom("CANCELED" as const, "EXPIRED" as const), reason });

/** Parents in any state, without regard for which members go together. */
export const anyParent: fc.Arbitrary<ParentOrder> = withOptional(
  {
    orderId: managedId,
    accountId: count,
    intent: anyIntent,
    acceptedAtMs: time,
    updatedAtMs: time,
    record: count,
    attempts: count,
    misses: count,
    notBeforeMs: time,
    executedQuantity: anyAmount,
    executedNotional: anyNotional,
    executions: fc.array(text, { maxLength: 4 }),
  },
  {
    activation: anyActivation,
    trigger: anyTrigger,
    child: anyChild,
    lastChildId: name,
    pendingEnd: anyPendingEnd,
    ended: record({ status: terminal, reason, atMs: time }),
    frozen: fc.constant(true as const),
  },
);

const anyStamp: fc.Arbitrary<QuoteStamp> = record({
  symbol,
  bid: anyPrice,
  ask: anyPrice,
  timeMs: time,
  sequence: count,
});

/** One fact of any kind. */
export const anyFact: fc.Arbitrary<Fact> = fc.oneof<fc.Arbitrary<Fact>[]>(
  withOptional(
    { kind: fc.constant("ACCEPTED"), accountId: count, intent: anyIntent },
    { admissionPrice: anyPrice, exposure: anyExposure },
  ),
  record({ kind: fc.constant("ACTIVATED"), activation: anyActivation }),
  record({ kind: fc.constant("TRIGGERED"), trigger: anyTrigger }),
  withOptional({ kind: fc.constant("CHILD_INTENDED"), child: anyChild }, { exposure: anyExposure }),
  record({ kind: fc.constantFrom("CHILD_OPEN", "CHILD_UNKNOWN"), childId: name }),
  record({ kind: fc.constant("FILLED"), childId: name, fill: anyFill }),
  withOptional(
    {
      kind: fc.constant("CHILD_CLOSED"),
      childId: name,
      outcome: fc.constantFrom("DONE", "REJECTED", "REJECTED_FINAL", "VOIDED", "WITHDRAWN"),
    },
    { detail: text, notBeforeMs: time },
  ),
  record({ kind: fc.constant("END_REQUESTED"), end: anyPendingEnd }),
  record({ kind: fc.constant("ENDED"), status: terminal, reason }),
  record({
    kind: fc.constant("ALERT"),
    alert: fc.constantFrom("LATE_FILL", "OVERFILL", "UNKNOWN_ESCALATED", "INVARIANT_BROKEN"),
    detail: text,
  }),
  record({ kind: fc.constant("FROZEN") }),
);

/** One cause of any kind. */
export const anyCause: fc.Arbitrary<Cause> = fc.oneof<fc.Arbitrary<Cause>[]>(
  record({ kind: fc.constantFrom("PLACE", "CANCEL", "RECOVERY") }),
  record({ kind: fc.constant("QUOTE"), quote: anyStamp }),
  record({ kind: fc.constant("TIMER"), timer: fc.constantFrom("EXPIRY", "DEADLINE", "RECONCILE") }),
  record({ kind: fc.constant("VENUE"), source: fc.constantFrom("SUBMIT", "EVENT", "LOOKUP", "VOID") }),
);

/** Journal records with up to three changes of up to four facts. */
export const anyRecord: fc.Arbitrary<JournalRecord> = record({
  shard: fc.nat(255),
  sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  timeMs: time,
  cause: anyCause,
  changes: fc.array(
    record({ orderId: managedId, previous: count, facts: fc.array(anyFact, { maxLength: 4 }) }),
    { maxLength: 3 },
  ),
});

/** Marks of the market journal. */
export const anyMark: fc.Arbitrary<MarketMark> = record({
  symbol,
  side: fc.constantFrom("ask", "bid"),
  position: count,
  price: anyPrice,
  timeMs: time,
});
