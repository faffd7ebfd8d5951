import fc from "fast-check";
import { type Notional, normalise } from "../../src/decimal/index.ts";
import type { ChildRequest, Fill, NativeTerms } from "../../src/model/index.ts";
import type { Entry } from "../../src/paper-exchange/entry.ts";
import { anyPrice, anyQuantity } from "./arbitraries.ts";

const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom('a"b\\', "a\nb\u2028c", "\u0000"));
const whole = fc.oneof(fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER));
const negative = whole.map((value) => -value - (value < Number.MAX_SAFE_INTEGER ? 1 : 0));
const symbol = fc.constantFrom("BTC/USD", "ETH/USD");
const side = fc.constantFrom("BUY" as const, "SELL" as const);
const decimal = fc.constantFrom("0", "0.00000000000001", "99999999999999999999", "1.5");

/** A record with the required members and any subset of the optional ones. */
const some = <T, R extends keyof T & string>(
  members: { [K in keyof T]: fc.Arbitrary<T[K]> },
  ...optional: readonly R[]
) =>
  fc.record(members, {
    requiredKeys: Object.keys(members).filter((key) => !optional.some((name) => name === key)) as never[],
    noNullPrototype: true,
  });
const every = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { noNullPrototype: true });

/** An amount that an order may spend: up to just below 10^12 USD, at 8 decimals. */
const anyAmountOfUsd = fc
  .oneof(fc.bigInt({ min: 1n, max: 10n ** 20n - 1n }), fc.constantFrom(1n, 10n ** 20n - 1n))
  .map((steps) => normalise(steps * 1_000_000n) as Notional);

const anyFill = every<Fill>({ executionId: text, quantity: anyQuantity, price: anyPrice, timeMs: whole });
const fills = fc.array(anyFill, { maxLength: 3 });

const anyChild = some(
  {
    childId: text,
    parentOrderId: negative,
    accountId: whole,
    symbol,
    side,
    quantity: anyQuantity,
    limitPrice: anyPrice,
    timeInForce: fc.constantFrom("IOC" as const, "FOK" as const),
    reduceOnly: fc.boolean(),
  },
  "limitPrice",
) as fc.Arbitrary<ChildRequest>;

const named = { symbol, side, clientOrderId: text };
const anyTerms: fc.Arbitrary<NativeTerms> = fc.oneof(
  every({
    ...named,
    type: fc.constant("LIMIT" as const),
    timeInForce: fc.constantFrom("GTC" as const, "IOC" as const, "FOK" as const),
    quantity: anyQuantity,
    price: anyPrice,
  }),
  every({ ...named, type: fc.constant("MARKET" as const), quantity: anyQuantity }),
  every({ ...named, type: fc.constant("MARKET" as const), quoteQuantity: anyAmountOfUsd }),
);

const orderId = fc.bigInt({ min: 9_007_199_254_740_993n, max: 2n ** 63n - 1n });
const reason = fc.constantFrom("USER_CANCELED" as const, "INSUFFICIENT_LIQUIDITY" as const);
const kind = <K extends string>(name: K) => fc.constant(name);

const amount = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(normalise);
const anyTrade = every({ accountId: whole, symbol, base: amount, quote: amount });

/** Every kind of line that the paper venue writes, at both ends of every range. */
export const anyVenueEntry: fc.Arbitrary<Entry> = fc.oneof(
  every({
    kind: kind("balances"),
    accountId: whole,
    balances: fc.dictionary(fc.constantFrom("USD", "BTC", "constructor"), decimal, { noNullPrototype: true }),
    timeMs: whole,
  }),
  every({
    kind: kind("positions"),
    accountId: whole,
    positions: fc.dictionary(symbol, fc.constantFrom("-999999999999.999999", "0"), { noNullPrototype: true }),
    timeMs: whole,
  }),
  some(
    { kind: kind("arrived"), orderId, child: anyChild, deadlineMs: whole, timeMs: whole },
    "orderId",
  ) as fc.Arbitrary<Entry>,
  every({
    kind: kind("resolved"),
    childId: text,
    state: fc.constantFrom("closed" as const, "rejected" as const),
    fills,
    held: fc.boolean(),
    final: fc.boolean(),
    detail: text,
    timeMs: whole,
  }),
  every({ kind: kind("released"), childId: text, timeMs: whole }),
  some(
    {
      kind: kind("placed"),
      orderId,
      accountId: whole,
      requestKey: text,
      terms: anyTerms,
      fills,
      expired: reason,
      commissionRate: fc.constantFrom("0", "0.00000001", "1"),
      timeMs: whole,
    },
    "expired",
    "commissionRate",
  ) as fc.Arbitrary<Entry>,
  every({ kind: kind("filled"), orderId, fills, timeMs: whole }),
  every({ kind: kind("canceled"), orderId, reason, timeMs: whole }),
  every({ kind: kind("forgotten"), children: fc.array(text, { maxLength: 3 }), timeMs: whole }),
  every({
    kind: kind("passed"),
    orders: whole,
    executions: whole,
    trades: fc.array(anyTrade, { maxLength: 3 }),
  }),
  every({
    kind: kind("marks"),
    marks: fc.array(fc.tuple(text, whole), { maxLength: 3 }),
    acceptedUntilMs: fc.oneof(whole, fc.constant(-1)),
    deadlineUntilMs: whole,
  }),
);
