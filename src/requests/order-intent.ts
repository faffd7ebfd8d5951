import {
  functionOption,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
} from "../common/index.ts";
import { formatPrice, type Price, type Quantity } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import {
  type ListIntent,
  mayTrailAsLeg,
  type Need,
  ORDER_TYPES,
  type ParentIntent,
  type ParentType,
  partsOf,
  type ScheduleTerms,
  type TimeInForce,
  TRAITS,
  type TrailingDistance,
  TYPED_PARTS,
  type TypedPart,
} from "../model/index.ts";
import { type FieldSet, fieldSet } from "./field-set.ts";
import {
  INTENT_MEMBERS,
  type IntentMember,
  ORDER_FIELDS,
  type OrderFieldName,
  type OrderFieldValues,
} from "./order-fields.ts";
import { type LegPlace, typedLeg, typedOrder } from "./order-type.ts";
import type { OrderFields } from "./orders.ts";
import {
  conflict,
  invalid,
  type NameOf,
  ORDER_NAMES,
  ownName,
  type PlainFields,
  unread,
} from "./parameters.ts";
import { type FieldRule, only, optionalField } from "./rule.ts";

type NamedRules = readonly (readonly [OrderFieldName, FieldRule<unknown>])[];

/** Fields that depend on the type. */
const TYPED: ReadonlySet<OrderFieldName> = new Set(TYPED_PARTS.flatMap((part) => INTENT_MEMBERS[part].of));

const NAMES = Object.keys(ORDER_FIELDS) as readonly OrderFieldName[];

/** Fields that every order takes. */
const OF_EVERY: NamedRules = NAMES.flatMap((name) => {
  const { rule } = ORDER_FIELDS[name];
  return rule === undefined || TYPED.has(name) ? [] : [[name, rule] as const];
});

/** Returns the rules of the fields from which a type builds one part of its intent. */
function rulesOf(type: ParentType, part: TypedPart, need: Exclude<Need, "none">): NamedRules {
  const { schedule } = TRAITS[type];
  return INTENT_MEMBERS[part].of.flatMap((name) => {
    const { rule, schedules, trailsLeg } = ORDER_FIELDS[name];
    if (schedules !== undefined) {
      const own = schedule && schedules[schedule];
      return own === undefined ? [] : [[name, own] as const];
    }
    if (rule === undefined) return [];
    // One of several distances. The intent checks that there is exactly one.
    if (part !== "trailing") return [[name, need === "required" ? rule : optionalField(rule)] as const];
    return need === "required" || trailsLeg === true ? [[name, optionalField(rule)] as const] : [];
  });
}

function setOf(type: ParentType, place: "single" | "leg"): FieldSet<OrderFieldValues> {
  const parts = partsOf(type, place);
  const own = TYPED_PARTS.flatMap((part) => {
    const need = parts[part] ?? "none";
    return need === "none" ? [] : rulesOf(type, part, need);
  });
  const set = fieldSet({ ...Object.fromEntries([...OF_EVERY, ...own]), type: only(type) });
  return set as FieldSet<unknown> as FieldSet<OrderFieldValues>;
}

/** One set of fields per type. Each reads OrderFieldValues as {@link partsOf} defines them. */
type OrderSets = ReadonlyMap<string, FieldSet<OrderFieldValues>>;

const setsOf = (place: "single" | "leg", types: readonly ParentType[]): OrderSets =>
  new Map(types.map((type) => [type, setOf(type, place)]));

/** The fields that each type takes, required and optional (contract, Order type values). */
export const ORDER_SETS: OrderSets = setsOf("single", ORDER_TYPES);

/** The fields that each type takes as a leg of a list. Lists have no schedules (contract rule 8). */
export const LEG_SETS: OrderSets = setsOf(
  "leg",
  ORDER_TYPES.filter((type) => TRAITS[type].legs !== "none"),
);

/** Reads the fields of an order with the set of its type. Throws as the set does. */
function readTyped(sets: OrderSets, fields: PlainFields, nameOf: NameOf = ownName): OrderFieldValues {
  const set = sets.get(String(fields.type));
  if (set === undefined) throw invalid("type", nameOf("type"));
  return set.read(fields, nameOf);
}

const MINUTE_MS = 60_000;
/** The window of one-minute volumes from which a VWAP without a profile is built (contract rule 4). */
const WINDOW_MS = 512 * MINUTE_MS;

/**
 * Returns the schedule of a TWAP or VWAP; undefined for other types. An explicit profile has one weight per interval, so
 * intervalCount may be left out. Throws BAD_COMBINATION (-1128) if intervalCount differs from the number of weights, and
 * the errors of {@link checkWindow}. Source: contract, Order input fields.
 */
function scheduleTerms(order: OrderFieldValues): ScheduleTerms | undefined {
  const { interval, intervalCount, intervalDelay = 0, volumeProfile } = order;
  if (interval === undefined) return undefined;
  const terms = { intervalMs: interval, intervalDelayMs: intervalDelay };
  if (volumeProfile !== undefined) {
    const count = volumeProfile.length;
    if (intervalCount !== undefined && intervalCount !== count) {
      throw conflict(
        ["intervalCount", "volumeProfile"],
        "Send one weight per interval, or omit intervalCount.",
      );
    }
    return { ...terms, intervalCount: count, weights: volumeProfile };
  }
  if (TRAITS[order.type].schedule === "volume") checkWindow(interval, intervalCount);
  return intervalCount === undefined ? terms : { ...terms, intervalCount };
}

/**
 * Checks the interval of weights from history, which have whole minutes and come from a window of 512. Throws
 * BAD_INTERVAL (-1120) for an interval that is not a whole number of minutes or does not fit into the window twice,
 * INVALID_PARAMETER (-1130) for too many intervals.
 */
function checkWindow(interval: number, intervalCount: number | undefined): void {
  if (interval % MINUTE_MS !== 0) throw invalid("interval");
  if (interval * (intervalCount ?? 2) <= WINDOW_MS) return;
  if (intervalCount === undefined) throw invalid("interval");
  throw new OrderError("INVALID_PARAMETER", {
    field: "intervalCount",
    advice: "Without volumeProfile, a VWAP lasts at most 512 minutes. Send fewer or shorter intervals.",
  });
}

/** Options for reading an order or a list in process. */
export interface OrderIntentOptions {
  /** Generates the id of an order or leg without one. It receives the name of the field, such as aboveClientOrderId. */
  readonly clientId?: (field: string) => string;
}

/** Checks the options of an intent. */
export const intentOptions: OptionCheck = /* @__PURE__ */ (() =>
  optionsOf<OrderIntentOptions>({
    clientId: optionalOption(functionOption("returns a client id, given the name of its field")),
  }))();

/** Checks that the fields of an order or a list are an object. */
export const fieldsOption: OptionCheck = /* @__PURE__ */ objectOption("an object of fields by name");

/**
 * Returns the canonical intent of an order given in process. Rules and errors are the same as on the wire. Without
 * newClientOrderId the id comes from `options.clientId`; without both, PARAMETER_MISSING (-1102) is thrown. Throws an
 * OrderError that names the invalid field, and a TypeError for fields that are not an object and for an option that is
 * unknown or wrong. Source: contract, Order input fields.
 *
 * @example
 * ```ts
 * import { orderIntent } from "managed-orders";
 * const intent = orderIntent({
 *   symbol: "BTC/USD",
 *   side: "SELL",
 *   type: "STOP_LOSS",
 *   quantity: "0.010",
 *   stopPrice: "7400",
 *   newClientOrderId: "stop-1",
 * });
 * console.log(intent.type, intent.timeInForce); // STOP_MARKET GTC
 * ```
 */
export function orderIntent(fields: OrderFields, options: OrderIntentOptions = {}): ParentIntent {
  fieldsOption(fields, "orderIntent.fields");
  intentOptions(options, "orderIntent.options");
  const plain = sentFields(fields, ORDER_NAMES);
  if (plain.newClientOrderId !== undefined || options.clientId === undefined) return intentOf(plain);
  return intentOf({ ...plain, newClientOrderId: options.clientId("newClientOrderId") });
}

/**
 * Returns fields given in process, without the undefined ones. Throws UNREAD_PARAMETER (-1104) for an unknown field.
 */
export function sentFields(fields: object, known: ReadonlySet<string>): PlainFields {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  const names = sent.map(([name]) => name);
  if (names.some((name) => !known.has(name))) throw unread(names, known);
  return Object.fromEntries(sent);
}

/** Returns the intent that plain fields express. Throws the OrderError of an invalid field. */
export function intentOf(fields: PlainFields): ParentIntent {
  return intentFrom(readTyped(ORDER_SETS, typedOrder(fields)), ownName);
}

/** Returns the intent of a leg. Throws the OrderError of an invalid field; it names fields as the request does. */
export function legIntentOf(fields: PlainFields, place: LegPlace): ParentIntent {
  const { nameOf } = place;
  return intentFrom(readTyped(LEG_SETS, typedLeg(fields, place), nameOf), nameOf);
}

type MemberReader = (order: OrderFieldValues, nameOf: NameOf) => unknown;

/** Members of an intent that combine several fields. */
const COMPOSED: Readonly<Partial<Record<keyof ParentIntent, MemberReader>>> = {
  trailing: trailingDistance,
  limitOffset: dynamicOffset,
  icebergQuantity: icebergQuantity,
  schedule: scheduleTerms,
  timeInForce: timeInForce,
  expireTimeMs: ({ expireTime, goodTillDate }) => expireTime ?? goodTillDate,
};

const MEMBERS = (Object.keys(INTENT_MEMBERS) as (keyof ParentIntent)[]).map((member) => {
  const [field] = INTENT_MEMBERS[member].of;
  const read: MemberReader = COMPOSED[member] ?? ((order) => order[field]);
  return [member, read] as const;
});

/**
 * Builds an intent from the members that are present, in the order of the table. The table says which fields each
 * member is made of.
 */
function intentFrom(order: OrderFieldValues, nameOf: NameOf): ParentIntent {
  const intent: Partial<Record<keyof ParentIntent, unknown>> = {};
  for (const [member, read] of MEMBERS) {
    const value = read(order, nameOf);
    if (value !== undefined) intent[member] = value;
  }
  return intent as ParentIntent;
}

/** Alternative limits of a type that takes either: a fixed price, or a distance from the trigger. */
export const TRAILING_LIMITS = ["price", "limitOffset"] as const;

/** Returns the trailing distance. A stop or take-profit leg that does not trail needs its stop price. */
function trailingDistance(order: OrderFieldValues, nameOf: NameOf): TrailingDistance | undefined {
  if (TRAITS[order.type].trigger === "trailing") requireOne(order, INTENT_MEMBERS.trailing.of, nameOf);
  const { trailingDelta, price2, trailingAmount } = order;
  if (trailingDelta !== undefined) return { kind: "bps", bps: trailingDelta };
  if (price2 !== undefined) return { kind: "percent", percent: price2 };
  if (trailingAmount !== undefined) return { kind: "amount", amount: trailingAmount };
  if (mayTrailAsLeg(order.type) && order.stopPrice === undefined) {
    const [field, other] = [nameOf("stopPrice"), nameOf("trailingDelta")];
    throw new OrderError("PARAMETER_MISSING_BOTH", { field, other });
  }
  return undefined;
}

function dynamicOffset(order: OrderFieldValues, nameOf: NameOf): Price | undefined {
  if (TRAITS[order.type].limit === "fixedOrOffset") requireOne(order, TRAILING_LIMITS, nameOf);
  return order.limitOffset;
}

function icebergQuantity({ icebergQty, quantity }: OrderFieldValues, nameOf: NameOf): Quantity | undefined {
  if (icebergQty === undefined || icebergQty <= quantity) return icebergQty;
  throw new OrderError("ICEBERG_EXCEEDS_QUANTITY", { field: nameOf("icebergQty") });
}

/** Requires exactly one of the fields (-1128). */
function requireOne(
  order: OrderFieldValues,
  fields: readonly (keyof OrderFieldValues)[],
  nameOf: NameOf,
): void {
  const sent = fields.filter((field) => order[field] !== undefined);
  if (sent.length === 1) return;
  const advice = `Send exactly one of ${fields.map(nameOf).join(", ")}.`;
  throw conflict((sent.length === 0 ? fields : sent).map(nameOf), advice);
}

/** Returns the lifetime. Both names of the expiry must agree. The lifetime is GTD if and only if there is an expiry. */
function timeInForce(order: OrderFieldValues, nameOf: NameOf): TimeInForce {
  const { expireTime, goodTillDate } = order;
  const expireTimeMs = expireTime ?? goodTillDate;
  const names = [nameOf("expireTime"), nameOf("goodTillDate")] as const;
  if (goodTillDate !== undefined && goodTillDate !== expireTimeMs) {
    throw conflict(names, "Send only one of them, or send the same time in both.");
  }
  const lifetime = order.timeInForce ?? (expireTimeMs === undefined ? "GTC" : "GTD");
  if ((lifetime === "GTD") === (expireTimeMs !== undefined)) return lifetime;
  if (expireTimeMs === undefined) {
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: names[0], other: names[1] });
  }
  const expiry = expireTime === undefined ? names[1] : names[0];
  throw conflict(
    [nameOf("timeInForce"), expiry],
    "An order with an expiry is GTD. Omit the expiry, or send GTD instead of GTC.",
  );
}

const CANONICAL_MEMBERS = (Object.keys(INTENT_MEMBERS) as (keyof ParentIntent)[]).filter(
  (member) => INTENT_MEMBERS[member].isName !== true,
);

function memberText<K extends keyof ParentIntent>(intent: ParentIntent, member: K): unknown {
  const value = intent[member];
  if (value === undefined) return null;
  const { text } = INTENT_MEMBERS[member] as IntentMember<typeof value>;
  return text === undefined ? value : text(value);
}

/**
 * Returns the canonical text of an intent. Two placements have the same text if and only if they ask for the same order,
 * whatever aliases, defaults and decimal spellings they use. The client id is not part of it.
 */
export function canonicalIntent(intent: ParentIntent): string {
  return JSON.stringify(CANONICAL_MEMBERS.map((member) => memberText(intent, member)));
}

/**
 * Returns the canonical text of a list's intent. Two lists have the same text if and only if they ask for the same orders
 * in the same roles, on the same terms. The contingency, the kind and the position of a leg determine its role. A leg's client id is part of the text if
 * the caller gave it; the list's own id is not.
 */
export function canonicalList({
  contingency,
  legs,
  kind,
  mode,
  stopMove,
}: Omit<ListIntent, "listClientOrderId">): string {
  const move = stopMove && [stopMove.after, ...[stopMove.to, stopMove.offset].map(levelText)];
  return JSON.stringify([
    contingency,
    ...(kind === undefined ? [] : [[kind, mode ?? null, move ?? null]]),
    legs.map(({ intent, generatedClientId }) => [
      canonicalIntent(intent),
      generatedClientId ? null : intent.clientOrderId,
    ]),
  ]);
}

const levelText = (level: Price | "ENTRY" | undefined): string | null =>
  level === undefined || level === "ENTRY" ? (level ?? null) : formatPrice(level);
