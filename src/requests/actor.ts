import { idRule } from "./field-rules.ts";
import { type FieldSet, fieldSet, type ValuesOf } from "./field-set.ts";
import type { PlainFields } from "./plain-fields.ts";
import { only, optional, type Rule } from "./rule.ts";

/** What any signed request may say besides its own fields (contract, Linked lists and managed parents: Shared). */
export const ACTOR_RULES: Readonly<{
  account: Rule<number | undefined>;
  userId: Rule<number | undefined>;
  selfTradePreventionMode: Rule<"NONE" | undefined>;
}> = {
  account: optional(idRule),
  userId: optional(idRule),
  selfTradePreventionMode: optional(only("NONE")),
};

/** The account a request is about and the person it says to come from; without them the key's own. */
export type Actor = Readonly<{ accountId?: number; userId?: number }>;

/** The actor in fields that were read with {@link ACTOR_RULES}. */
export function actorOf(
  fields: Readonly<{ account?: number | undefined; userId?: number | undefined }>,
): Actor {
  const { account, userId } = fields;
  return {
    ...(account !== undefined && { accountId: account }),
    ...(userId !== undefined && { userId }),
  };
}

/** Whose request it is, by itself. */
export const ACTOR_SET: FieldSet<ValuesOf<typeof ACTOR_RULES>> = fieldSet(ACTOR_RULES);

const ACTOR_NAMES = Object.keys(ACTOR_RULES);

/** The actor of a placement, and the fields that are left for the order; throws the OrderError of what is wrong. */
export function splitActor(plain: PlainFields): Readonly<{ actor: Actor; order: PlainFields }> {
  // Most requests name none, and the copy without them is work.
  if (!ACTOR_NAMES.some((name) => plain[name] !== undefined)) return { actor: {}, order: plain };
  const { account, userId, selfTradePreventionMode, ...order } = plain;
  return { actor: actorOf(ACTOR_SET.read({ account, userId, selfTradePreventionMode })), order };
}
