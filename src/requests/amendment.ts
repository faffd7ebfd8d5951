import type { AmendedTerms, Mutable, TrailingDistance } from "../model/index.ts";
import { type FieldRules, type FieldSet, fieldSet } from "./field-set.ts";
import { INTENT_MEMBERS, ORDER_FIELDS, type OrderFieldValues } from "./order-fields.ts";
import { fieldsOption, sentFields } from "./order-intent.ts";
import { conflict, type PlainFields } from "./parameters.ts";
import { type FieldRule, newClientIdRule, optionalField } from "./rule.ts";

/** The fields of an order that an amend may change: the new value of each. What is left out stays. */
export interface AmendFields {
  /** The whole quantity, with what is executed: a decimal string with at most 6 decimals. */
  readonly quantity?: string | undefined;
  readonly price?: string | undefined;
  readonly stopPrice?: string | undefined;
  /** Trailing distance in basis points, of an order that has it so. */
  readonly trailingDelta?: number | undefined;
  /** Trailing distance in percent, of an order that has it so. */
  readonly price2?: string | undefined;
  /** Trailing distance in USD, of an order that has it so. */
  readonly trailingAmount?: string | undefined;
  readonly limitOffset?: string | undefined;
  readonly icebergQty?: string | undefined;
  /** When the order ends by itself, in epoch milliseconds, of an order that has an expiry. */
  readonly expireTime?: number | undefined;
  /** Alias of `expireTime`. */
  readonly goodTillDate?: number | undefined;
}

type AmendValues = Partial<Pick<OrderFieldValues, keyof AmendFields & keyof OrderFieldValues>> &
  Readonly<{ amendId?: string | undefined }>;

/** The terms that an amend may change, with the fields of each. */
export const AMENDABLE = Object.entries(INTENT_MEMBERS).flatMap(([term, member]) =>
  "isAmendable" in member ? [[term, member.of]] : [],
) as unknown as readonly (readonly [keyof AmendedTerms, readonly (keyof AmendFields)[]])[];

/** The names of the fields that an amend may change. */
export const AMEND_FIELDS: readonly (keyof AmendFields)[] = AMENDABLE.flatMap(([, fields]) => fields);

/** The rules of an amend's fields, and of its id. */
export const AMEND_RULES: FieldRules = {
  ...Object.fromEntries(
    AMEND_FIELDS.map((name) => [name, optionalField(ORDER_FIELDS[name].rule as FieldRule<unknown>)]),
  ),
  amendId: optionalField(newClientIdRule),
};

const NAMES: ReadonlySet<string> = new Set(Object.keys(AMEND_RULES));

const AMEND_SET = fieldSet(AMEND_RULES) as FieldSet<unknown> as FieldSet<AmendValues>;

/** What an amend changes: the new terms, and its id. The same id is the same amend. */
export type Amendment = Readonly<{ terms: AmendedTerms; amendId?: string | undefined }>;

/**
 * Returns what the fields of an amend change, by the rules of a placement. Throws an OrderError that names the invalid field,
 * and a TypeError for fields that are not an object.
 */
export function amendmentOf(fields: AmendFields, amendId?: string): Amendment {
  fieldsOption(fields, "engine.amend.changes");
  return amendmentIn({ ...sentFields(fields, NAMES), ...(amendId !== undefined && { amendId }) });
}

/** Returns the amendment that plain fields express. Throws the OrderError of an invalid field. */
export function amendmentIn(fields: PlainFields): Amendment {
  const { quantity, price, stopPrice, limitOffset, icebergQty, amendId, ...rest } = AMEND_SET.read(fields);
  const terms: Mutable<AmendedTerms> = {};
  if (quantity !== undefined) terms.quantity = quantity;
  if (price !== undefined) terms.price = price;
  if (stopPrice !== undefined) terms.stopPrice = stopPrice;
  const trailing = distanceIn(rest);
  if (trailing !== undefined) terms.trailing = trailing;
  if (limitOffset !== undefined) terms.limitOffset = limitOffset;
  if (icebergQty !== undefined) terms.icebergQuantity = icebergQty;
  const expireTimeMs = rest.expireTime ?? rest.goodTillDate;
  if (expireTimeMs !== undefined) terms.expireTimeMs = expireTimeMs;
  if (rest.goodTillDate !== undefined && rest.goodTillDate !== expireTimeMs)
    throw conflict(["expireTime", "goodTillDate"], "Send only one of them, or send the same time in both.");
  if (Object.keys(terms).length === 0)
    throw conflict(AMEND_FIELDS, "Send at least one of them: the new value.");
  return { terms, amendId };
}

function distanceIn({ trailingDelta, price2, trailingAmount }: AmendValues): TrailingDistance | undefined {
  const distances: readonly (TrailingDistance | undefined)[] = [
    trailingDelta === undefined ? undefined : { kind: "bps", bps: trailingDelta },
    price2 === undefined ? undefined : { kind: "percent", percent: price2 },
    trailingAmount === undefined ? undefined : { kind: "amount", amount: trailingAmount },
  ];
  const sent = distances.filter((distance) => distance !== undefined);
  if (sent.length > 1)
    throw conflict(INTENT_MEMBERS.trailing.of, `Send only one of ${INTENT_MEMBERS.trailing.of.join(", ")}.`);
  return sent[0];
}
