import { type FieldSet, fieldSet, type ValuesOf } from "./field-set.ts";
import type { PlainFields } from "./parameters.ts";
import { type FieldRule, idRule, only, optionalField } from "./rule.ts";

/**
 * Rules of the fields that any signed request may have besides its own (contract, Linked lists and managed parents:
 * Shared).
 */
export const ACTOR_RULES: Readonly<{
  account: FieldRule<number | undefined>;
  userId: FieldRule<number | undefined>;
  selfTradePreventionMode: FieldRule<"NONE" | undefined>;
}> = {
  account: optionalField(idRule),
  userId: optionalField(idRule),
  selfTradePreventionMode: optionalField(only("NONE")),
};

/** The account and the user that a request names. Without them the key's own count. */
export type Actor = Readonly<{ accountId?: number; userId?: number }>;

/** Returns the actor from fields that were read with {@link ACTOR_RULES}. */
export function actorOf(
  fields: Readonly<{ account?: number | undefined; userId?: number | undefined }>,
): Actor {
  const { account, userId } = fields;
  return {
    ...(account !== undefined && { accountId: account }),
    ...(userId !== undefined && { userId }),
  };
}

/** Field set of the actor alone. */
export const ACTOR_SET: FieldSet<ValuesOf<typeof ACTOR_RULES>> = fieldSet(ACTOR_RULES);

const ACTOR_NAMES = Object.keys(ACTOR_RULES);

/** Separates the actor of a placement from the fields of the order. Throws the OrderError of an invalid field. */
export function splitActor(plain: PlainFields): Readonly<{ actor: Actor; order: PlainFields }> {
  // Most requests name no actor; avoid the cost of a copy.
  if (!ACTOR_NAMES.some((name) => plain[name] !== undefined)) return { actor: {}, order: plain };
  const { account, userId, selfTradePreventionMode, ...order } = plain;
  return { actor: actorOf(ACTOR_SET.read({ account, userId, selfTradePreventionMode })), order };
}
