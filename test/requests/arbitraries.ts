import fc from "fast-check";
import { formatPrice, formatQuantity, parsePrice, parseQuantity } from "../../src/decimal/index.ts";
import type { LegIntent, ListIntent, ParentIntent, TrailingDistance } from "../../src/model/index.ts";
import type { ListForm, OrderFields } from "../../src/requests/index.ts";
import type { Fields } from "./support.ts";

/** Generators of the values of orders. */
type Values = Readonly<{
  price: fc.Arbitrary<string>;
  quantity: fc.Arbitrary<string>;
  percent: fc.Arbitrary<string>;
  clientId: fc.Arbitrary<string>;
  weight: fc.Arbitrary<string>;
  expiry: fc.Arbitrary<number>;
  /** A whole number from 0 to `most`. */
  upTo: (most: number) => fc.Arbitrary<number>;
}>;

const scaledText = (scale: number, integers: bigint): fc.Arbitrary<string> =>
  fc
    .tuple(fc.bigInt({ min: 0n, max: integers - 1n }), fc.nat(scale), fc.nat(10 ** scale - 1))
    .map(([whole, decimals, fraction]) =>
      decimals === 0 ? String(whole) : `${whole}.${String(fraction).padStart(scale, "0").slice(0, decimals)}`,
    );

/** Every value that the contract allows. */
const wide: Values = {
  price: scaledText(8, 10n ** 10n).filter((text) => parsePrice(text) !== undefined),
  quantity: scaledText(6, 10n ** 12n).filter((text) => parseQuantity(text) !== undefined),
  percent: scaledText(8, 100n).filter((text) => parsePrice(text) !== undefined),
  clientId: fc.stringMatching(/^[A-Za-z0-9_-]{1,36}$/).filter((id) => !/^aqc-/i.test(id)),
  weight: fc.stringMatching(/^[0-9]{1,15}$/),
  expiry: fc.integer({ min: 1, max: 253_402_300_798_999 }),
  upTo: (most) => fc.integer({ min: 0, max: most }),
};

/** Few values in several spellings, so that orders often have the same intent. */
const narrow: Values = {
  price: fc.constantFrom("7", "7.0", "7.00000001", "8"),
  quantity: fc.constantFrom("1", "1.0", "1.000001"),
  percent: fc.constantFrom("5", "5.00", "6"),
  clientId: fc.constantFrom("a", "b", "c", "d", "e"),
  weight: fc.constantFrom("0", "1", "01", "2"),
  expiry: fc.constantFrom(1_000, 2_000),
  upTo: (most) => fc.constantFrom(0, 1).map((few) => Math.min(few, most)),
};

const merged = (...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<Fields> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all));
const typed = (...names: readonly string[]): fc.Arbitrary<object> =>
  fc.record({ type: fc.constantFrom(...names) });
const maybe = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> =>
  fc.record(members, { requiredKeys: [] });
const withPrice = ({ price }: Values): fc.Arbitrary<object> => fc.record({ price });

const distanceOf = (values: Values): fc.Arbitrary<object> =>
  fc.oneof(
    fc.record({ trailingDelta: values.upTo(9_998).map((less) => less + 1) }),
    fc.record({ price2: values.percent }),
    fc.record({ trailingAmount: values.price }),
  );

const LIMIT_TYPES: readonly object[] = [
  { type: "SYNTHETIC_LIMIT" },
  { type: "LIMIT", apiManaged: true },
  { type: "LIMIT_MAKER" },
  { type: "POST_ONLY" },
  { type: "LIMIT", timeInForce: "GTX" },
  { type: "LIMIT", timeInForce: "POST_ONLY" },
];

/** A limit order or post-only one. */
const limitsOf = (values: Values): fc.Arbitrary<Fields> =>
  merged(fc.constantFrom(...LIMIT_TYPES), withPrice(values));

const takeProfitsOf = (values: Values): fc.Arbitrary<Fields> =>
  fc.oneof(
    merged(typed("TAKE_PROFIT", "TAKE_PROFIT_MARKET"), fc.record({ stopPrice: values.price })),
    merged(typed("TAKE_PROFIT_LIMIT"), fc.record({ stopPrice: values.price }), withPrice(values)),
  );

const stopsOf = (values: Values): fc.Arbitrary<Fields> =>
  fc.oneof(
    merged(typed("STOP", "STOP_LOSS", "STOP_MARKET"), fc.record({ stopPrice: values.price })),
    merged(typed("STOP_LIMIT", "STOP_LOSS_LIMIT"), fc.record({ stopPrice: values.price }), withPrice(values)),
  );

const trailsOf = (values: Values): fc.Arbitrary<Fields> => {
  const gate = maybe({ stopPrice: values.price });
  const cap = fc.oneof(
    withPrice(values),
    fc.record({ limitOffset: fc.oneof(values.price, fc.constant("0.00")) }),
  );
  return fc.oneof(
    merged(typed("TRAILING_STOP", "TRAILING_STOP_MARKET"), distanceOf(values), gate),
    merged(typed("TRAILING_STOP_LIMIT"), distanceOf(values), gate, cap),
  );
};

/** The display quantity is the smallest step, so that it fits in every quantity. */
const icebergsOf = (values: Values): fc.Arbitrary<Fields> => {
  const part = fc.constant({ icebergQty: "0.000001" });
  const stopLimit = merged(
    typed("STOP_LIMIT", "TAKE_PROFIT_LIMIT"),
    fc.record({ stopPrice: values.price }),
    withPrice(values),
  );
  return fc.oneof(
    merged(typed("ICEBERG", "SYNTHETIC_LIMIT", "LIMIT"), withPrice(values), part),
    merged(stopLimit, part),
  );
};

const schedulesOf = (values: Values): fc.Arbitrary<Fields> => {
  const interval = values.upTo(86_399_000).map((more) => more + 1_000);
  const intervalCount = values.upTo(9_998).map((more) => more + 2);
  const delay = maybe({ intervalDelay: values.upTo(604_800_000) });
  const profile = fc
    .array(values.weight, { minLength: 2, maxLength: 4 })
    .filter((weights) => weights.some((weight) => /[1-9]/.test(weight)))
    .map((weights) => ({ volumeProfile: weights.join() }));
  const minutes = maybe({
    interval: values.upTo(255).map((more) => (more + 1) * 60_000),
    intervalCount: fc.constant(2),
  });
  const twap = merged(fc.record({ interval, intervalCount }), delay);
  const vwap = fc.oneof(merged(maybe({ interval }), profile, delay), merged(minutes, delay));
  const pov = fc.record({ participationBips: values.upTo(9_999).map((more) => more + 1) });
  const shape = (type: string, targetStrategy: number, own: fc.Arbitrary<object>): fc.Arbitrary<Fields> =>
    fc.oneof(
      merged(typed(type), own),
      merged(fc.constant({ type: "LIMIT", targetStrategy }), withPrice(values), own),
    );
  return fc.oneof(shape("TWAP", 180, twap), shape("VWAP", 1_000_002, vwap), shape("POV", 1_000_004, pov));
};

const commonOf = (values: Values): fc.Arbitrary<object> =>
  fc.record(
    {
      newClientOrderId: values.clientId,
      reduceOnly: fc.boolean(),
      childTimeInForce: fc.constantFrom("IOC", "FOK"),
      expireTime: values.expiry,
    },
    { requiredKeys: ["newClientOrderId"] },
  );

const sizeOf = ({ quantity }: Values): fc.Arbitrary<object> =>
  fc.record({ side: fc.constantFrom("BUY", "SELL"), quantity });

const SYMBOL = fc.constant({ symbol: "BTC/USD" });

const ordersOf = (values: Values): fc.Arbitrary<OrderFields> => {
  const own = [limitsOf, takeProfitsOf, stopsOf, trailsOf, icebergsOf, schedulesOf].map((of) => of(values));
  return merged(
    fc.oneof(...own),
    SYMBOL,
    sizeOf(values),
    commonOf(values),
  ) as fc.Arbitrary<object> as fc.Arbitrary<OrderFields>;
};

/** Orders of every type in every spelling. */
export const orders: fc.Arbitrary<OrderFields> = ordersOf(wide);

/** Orders with few different values. */
export const similarOrders: fc.Arbitrary<OrderFields> = ordersOf(narrow);

const trailingFields = (trailing: TrailingDistance | undefined): Fields => {
  if (trailing === undefined) return {};
  if (trailing.kind === "bps") return { trailingDelta: trailing.bps };
  if (trailing.kind === "percent") return { price2: formatPrice(trailing.percent) };
  return { trailingAmount: formatPrice(trailing.amount) };
};

const scheduleFields = ({ schedule, participationBips }: ParentIntent): Fields => ({
  ...(schedule !== undefined && {
    interval: schedule.intervalMs,
    intervalDelay: schedule.intervalDelayMs,
    ...(schedule.intervalCount !== undefined && { intervalCount: schedule.intervalCount }),
    ...(schedule.weights !== undefined && { volumeProfile: schedule.weights.join() }),
  }),
  ...(participationBips !== undefined && { participationBips }),
});

const STRATEGIES: Fields = { TWAP: 180, VWAP: 1_000_002, POV: 1_000_004 };

/** The type, and for a schedule with a price the fields that select it. */
const typeFields = ({ type, price }: ParentIntent): Fields => {
  const targetStrategy = STRATEGIES[type];
  return targetStrategy === undefined || price === undefined ? { type } : { type: "LIMIT", targetStrategy };
};

/** The canonical fields of an intent. */
export const fieldsOf = (intent: ParentIntent): OrderFields =>
  ({
    symbol: intent.symbol,
    side: intent.side,
    ...typeFields(intent),
    quantity: formatQuantity(intent.quantity),
    ...(intent.price !== undefined && { price: formatPrice(intent.price) }),
    ...(intent.stopPrice !== undefined && { stopPrice: formatPrice(intent.stopPrice) }),
    ...(intent.limitOffset !== undefined && { limitOffset: formatPrice(intent.limitOffset) }),
    ...(intent.icebergQuantity !== undefined && { icebergQty: formatQuantity(intent.icebergQuantity) }),
    ...trailingFields(intent.trailing),
    ...scheduleFields(intent),
    timeInForce: intent.timeInForce,
    ...(intent.expireTimeMs !== undefined && { expireTime: intent.expireTimeMs }),
    reduceOnly: intent.reduceOnly,
    childTimeInForce: intent.childTimeInForce,
    newClientOrderId: intent.clientOrderId,
  }) as OrderFields;

/** A list as it is sent. */
export type SentList = Readonly<{ form: ListForm; fields: Fields }>;

/** The fields of a leg under their prefix. */
export const prefixed = (prefix: string, fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name === "newClientOrderId"
        ? `${prefix}ClientOrderId`
        : `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );

/** A stop or take-profit that trails, as legs may, with or without a stop price. */
const trailing = (legs: fc.Arbitrary<Fields>, values: Values): fc.Arbitrary<Fields> =>
  fc
    .tuple(legs, fc.integer({ min: 0, max: 2 }), values.upTo(9_998))
    .map(([{ stopPrice, ...leg }, how, less]) => ({
      ...leg,
      ...(how < 2 && { stopPrice }),
      ...(how > 0 && { trailingDelta: less + 1 }),
    }));

const pairOf = (values: Values): fc.Arbitrary<Readonly<{ protective: Fields; profit: Fields }>> => {
  const rest = commonOf(values);
  return fc.record({
    protective: merged(fc.oneof(trailing(stopsOf(values), values), trailsOf(values)), rest),
    profit: merged(fc.oneof(limitsOf(values), trailing(takeProfitsOf(values), values)), rest),
  });
};

const listsOf = (values: Values): fc.Arbitrary<SentList> => {
  const legs = [limitsOf, icebergsOf, trailsOf].map((of) => of(values));
  const triggered = [stopsOf, takeProfitsOf].map((of) => trailing(of(values), values));
  const single = merged(fc.oneof(...legs, ...triggered), sizeOf(values), commonOf(values));
  const list = merged(SYMBOL, fc.record({ listClientOrderId: values.clientId }));
  const pair = pairOf(values);
  const upperAndLower = (side: unknown, { protective, profit }: { protective: Fields; profit: Fields }) =>
    side === "BUY" ? [protective, profit] : [profit, protective];
  return fc.oneof(
    fc.tuple(list, sizeOf(values), pair).map(([own, size, legs]) => {
      const [above = {}, below = {}] = upperAndLower((size as Fields).side, legs);
      const fields = { ...own, ...size, ...prefixed("above", above), ...prefixed("below", below) };
      return { form: "oco" as const, fields };
    }),
    fc.tuple(list, single, single).map(([own, working, pending]) => ({
      form: "oto" as const,
      fields: { ...own, ...prefixed("working", working), ...prefixed("pending", pending) },
    })),
    fc.tuple(list, single, sizeOf(values), pair).map(([own, working, size, legs]) => {
      const [above = {}, below = {}] = upperAndLower((size as Fields).side, legs);
      const exits = { ...prefixed("pendingAbove", above), ...prefixed("pendingBelow", below) };
      const fields = {
        ...own,
        ...prefixed("working", working),
        ...prefixed("pending", size as Fields),
        ...exits,
      };
      return { form: "otoco" as const, fields };
    }),
  );
};

/** Lists of every form but the legacy one; legs share a client id only by chance, levels may be in the wrong order. */
export const lists: fc.Arbitrary<SentList> = listsOf(wide);

/** Lists with few different values. */
export const similarLists: fc.Arbitrary<SentList> = listsOf(narrow);

const legFields = ({ intent }: LegIntent, shared: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(fieldsOf(intent)).filter(([name]) => name !== "symbol" && !shared.includes(name)),
  );

/** The canonical fields of a list. */
export const listFieldsOf = ({ listClientOrderId, contingency, legs }: ListIntent): SentList => {
  const [first, ...others] = legs;
  if (first === undefined) throw new Error("a list without legs");
  const { symbol, side } = first.intent;
  const common = { symbol, listClientOrderId };
  const pairFields = (prefixes: readonly [string, string], pair: readonly LegIntent[]): Fields => {
    const exit = pair[0]?.intent.side === "BUY" ? pair : [...pair].reverse();
    const named = exit.map((leg, index) =>
      prefixed(prefixes[index] ?? "", legFields(leg, ["side", "quantity"])),
    );
    return Object.assign({}, ...named);
  };
  if (contingency === "OCO") {
    const quantity = formatQuantity(first.intent.quantity);
    return { form: "oco", fields: { ...common, side, quantity, ...pairFields(["above", "below"], legs) } };
  }
  const working = prefixed("working", legFields(first, []));
  const [next] = others;
  if (next === undefined) throw new Error("nothing pending");
  if (contingency === "OTO") {
    return { form: "oto", fields: { ...common, ...working, ...prefixed("pending", legFields(next, [])) } };
  }
  const size = { pendingSide: next.intent.side, pendingQuantity: formatQuantity(next.intent.quantity) };
  const exits = pairFields(["pendingAbove", "pendingBelow"], others);
  return { form: "otoco", fields: { ...common, ...working, ...size, ...exits } };
};
