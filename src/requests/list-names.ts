import { type KnownNames, namesOfWrite, ORDER_NAMES } from "./known-names.ts";
import type { PlainFields, PlainValue } from "./plain-fields.ts";
import type { NameOf } from "./refusals.ts";

/**
 * A leg of a form: the names of its fields in the request, whether it is part of an OCO pair, and its type if the
 * request does not name one.
 */
export type LegNames = Readonly<{
  nameOf: NameOf;
  /** Names by order field, for all fields that the leg may have. */
  names: ReadonlyMap<string, string>;
  inPair: boolean;
  impliedType?: (fields: PlainFields) => PlainValue;
}>;

/**
 * The legs of a form, the field names it knows in process and on the wire, and the order field whose rule reads each
 * name.
 */
export type FormNames<Part extends string> = Readonly<{
  legs: Readonly<Record<Part, LegNames>>;
  known: ReadonlySet<string>;
  parameters: KnownNames;
  fieldOf: NameOf;
}>;

/** Fields of the list itself, with the order field whose rules they follow. */
export const OWN_NAMES: readonly (readonly [string, string])[] = [
  ["newClientOrderId", "listClientOrderId"],
  ["expireTime", "expireTime"],
  ["goodTillDate", "goodTillDate"],
];

type SharedNames = Readonly<Record<string, string>>;

/** Returns the names of a leg by order field. */
export function legNames(
  names: ReadonlyMap<string, string>,
  more: Omit<LegNames, "nameOf" | "names">,
): LegNames {
  return { names, nameOf: (field) => names.get(field) ?? field, ...more };
}

/** Returns the names of a leg whose fields have a prefix, except those that it shares with other legs. */
function prefixedLeg(
  prefix: string,
  { inPair, shared }: Readonly<{ inPair: boolean; shared: SharedNames }>,
): LegNames {
  const prefixed = (field: string): string =>
    field === "newClientOrderId"
      ? `${prefix}ClientOrderId`
      : `${prefix}${field.charAt(0).toUpperCase()}${field.slice(1)}`;
  const names = [...ORDER_NAMES].map((field) => [field, shared[field] ?? prefixed(field)] as const);
  return legNames(new Map(names), { inPair });
}

function formNames<Part extends string>(legs: Readonly<Record<Part, LegNames>>): FormNames<Part> {
  const ofLegs = Object.values<LegNames>(legs).flatMap(({ names }) => [...names]);
  const fields = new Map([...ofLegs, ...OWN_NAMES].map(([field, name]) => [name, field]));
  const known = new Set(fields.keys());
  return { legs, known, parameters: namesOfWrite(known), fieldOf: (name) => fields.get(name) ?? name };
}

const SYMBOL: SharedNames = { symbol: "symbol" };
const ONE_ORDER: SharedNames = { symbol: "symbol", side: "side", quantity: "quantity" };
const EXIT: SharedNames = { symbol: "symbol", side: "pendingSide", quantity: "pendingQuantity" };

const WORKING = prefixedLeg("working", { inPair: false, shared: SYMBOL });

const LEGACY_SHARED = Object.entries(ONE_ORDER);

const LEGACY_LIMIT: LegNames = legNames(
  new Map([
    ...LEGACY_SHARED,
    ["price", "price"],
    ["icebergQty", "limitIcebergQty"],
    ["newClientOrderId", "limitClientOrderId"],
  ]),
  { inPair: true, impliedType: () => "SYNTHETIC_LIMIT" },
);

const LEGACY_STOP: LegNames = legNames(
  new Map([
    ...LEGACY_SHARED,
    ["stopPrice", "stopPrice"],
    ["trailingDelta", "trailingDelta"],
    ["price", "stopLimitPrice"],
    ["timeInForce", "stopLimitTimeInForce"],
    ["icebergQty", "stopIcebergQty"],
    ["newClientOrderId", "stopClientOrderId"],
  ]),
  { inPair: true, impliedType: ({ price }) => (price === undefined ? "STOP_MARKET" : "STOP_LOSS_LIMIT") },
);

type Names = Readonly<{
  oco: FormNames<"above" | "below">;
  oto: FormNames<"working" | "pending">;
  otoco: FormNames<"working" | "above" | "below">;
  legacyOco: FormNames<"limit" | "stop">;
}>;

/** The field names of every form. */
export const LIST_NAMES: Names = {
  oco: formNames({
    above: prefixedLeg("above", { inPair: true, shared: ONE_ORDER }),
    below: prefixedLeg("below", { inPair: true, shared: ONE_ORDER }),
  }),
  oto: formNames({
    working: WORKING,
    pending: prefixedLeg("pending", { inPair: false, shared: SYMBOL }),
  }),
  otoco: formNames({
    working: WORKING,
    above: prefixedLeg("pendingAbove", { inPair: true, shared: EXIT }),
    below: prefixedLeg("pendingBelow", { inPair: true, shared: EXIT }),
  }),
  legacyOco: formNames({ limit: LEGACY_LIMIT, stop: LEGACY_STOP }),
};
