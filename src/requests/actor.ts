import * as z from "zod";
import { ownerSchema } from "./field-schemas.ts";
import type { PlainFields } from "./plain-fields.ts";
import { readWith } from "./read-with.ts";

/** What any signed request may say besides its own fields (contract, Linked lists and managed parents: Shared). */
export const actorShape: Readonly<{
  account: z.ZodOptional<z.ZodType<number>>;
  userId: z.ZodOptional<z.ZodType<number>>;
  selfTradePreventionMode: z.ZodOptional<z.ZodLiteral<"NONE">>;
}> = {
  account: ownerSchema.optional(),
  userId: ownerSchema.optional(),
  selfTradePreventionMode: z.literal("NONE").optional(),
};

/** The account a request is about and the person it says to come from; without them the key's own. */
export type Actor = Readonly<{ accountId?: number; userId?: number }>;

/** The actor in fields that were read with {@link actorShape}. */
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
export const actorSchema: z.ZodObject<typeof actorShape> = z.object(actorShape);

const ACTOR_NAMES = Object.keys(actorShape);

/** The actor of a placement, and the fields that are left for the order; throws the OrderError of what is wrong. */
export function splitActor(plain: PlainFields): Readonly<{ actor: Actor; order: PlainFields }> {
  // Most requests name none, and the copy without them is work.
  if (!ACTOR_NAMES.some((name) => plain[name] !== undefined)) return { actor: {}, order: plain };
  const { account, userId, selfTradePreventionMode, ...order } = plain;
  return { actor: actorOf(readWith(actorSchema, { account, userId, selfTradePreventionMode })), order };
}
