import * as z from "zod";
import type { Parameters } from "../wire/index.ts";
import { type Actor, actorOf, actorShape } from "./actor.ts";
import { type KnownNames, namesOfRead, type RequestShape } from "./known-names.ts";
import type { SessionAct } from "./methods.ts";
import { plainFields } from "./plain-fields.ts";
import { readWith } from "./read-with.ts";

const ACCOUNT_NAMES: KnownNames = namesOfRead([]);
const END_NAMES: KnownNames = namesOfRead(["subscriptionId"]);
const TOKEN_NAMES: KnownNames = namesOfRead(["requestToken"]);

const accountSchema = z.strictObject(actorShape);
const endSchema = accountSchema.extend({ subscriptionId: z.number().int().min(0).optional() });
const tokenSchema = accountSchema.extend({
  requestToken: z
    .string()
    .min(1)
    .regex(/^[\x21-\x7e]{1,512}$/),
});

/** What the connection's own methods take. */
export const SESSION_ACTS: Readonly<Record<SessionAct, RequestShape>> = {
  subscribe: { names: ACCOUNT_NAMES, schema: accountSchema },
  subscribeByToken: { names: TOKEN_NAMES, schema: tokenSchema },
  unsubscribe: { names: END_NAMES, schema: endSchema },
  subscriptions: { names: ACCOUNT_NAMES, schema: accountSchema },
};

/**
 * Reads the parameters of userDataStream.subscribe.signature: whose events are asked for, by default the key's account.
 * Throws an OrderError -1104 for a parameter that is not known. Source: decision 45.
 */
export function readSubscription(parameters: Parameters): Actor {
  return actorOf(readWith(accountSchema, plainFields(parameters, ACCOUNT_NAMES)));
}

/** Reads the parameters of userDataStream.unsubscribe: one subscription of the connection, or without an id all of them. */
export function readUnsubscription(parameters: Parameters): Readonly<{ subscriptionId?: number }> {
  const { subscriptionId } = readWith(endSchema, plainFields(parameters, END_NAMES));
  return subscriptionId === undefined ? {} : { subscriptionId };
}

/** Reads the parameters of session.subscriptions, of which it needs none; throws like {@link readSubscription}. */
export function readNothing(parameters: Parameters): void {
  readWith(accountSchema, plainFields(parameters, ACCOUNT_NAMES));
}

/**
 * Reads the parameters of the older SUBSCRIBE: the session token that the host knows.
 * Throws an OrderError: -1102 without it, -1105 when it is empty, -1100 for more than 512 or other than visible characters. Source: contract, Authentication, WebSocket 1.
 */
export function readRequestToken(parameters: Parameters): string {
  return readWith(tokenSchema, plainFields(parameters, TOKEN_NAMES)).requestToken;
}
