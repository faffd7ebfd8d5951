import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead } from "./known-names.ts";
import type { SessionAct } from "./methods.ts";
import { plainFields } from "./plain-fields.ts";
import { optionalField, text, whole } from "./rule.ts";

const ACCOUNT_NAMES: KnownNames = namesOfRead([]);
const END_NAMES: KnownNames = namesOfRead(["subscriptionId"]);
const TOKEN_NAMES: KnownNames = namesOfRead(["requestToken"]);

const ACCOUNT_SET = fieldSet(ACTOR_RULES);
const END_SET = fieldSet({ ...ACTOR_RULES, subscriptionId: optionalField(whole({ from: 0 })) });
const TOKEN_SET = fieldSet({ ...ACTOR_RULES, requestToken: text({ pattern: /^[\x21-\x7e]{1,512}$/ }) });

/** The parameters of the connection's own acts. */
export const SESSION_ACTS: Readonly<Record<SessionAct, RequestShape>> = {
  subscribe: { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
  subscribeByToken: { names: TOKEN_NAMES, set: TOKEN_SET },
  unsubscribe: { names: END_NAMES, set: END_SET },
  subscriptions: { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
};

/**
 * Reads the parameters of userDataStream.subscribe.signature: the account whose events are requested, by default the
 * key's. Throws an OrderError -1104 for an unknown parameter. Source: decision 45.
 */
export function readSubscription(parameters: Parameters): Actor {
  return actorOf(ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES)));
}

/**
 * Reads the parameters of userDataStream.unsubscribe: one subscription of the connection, or all of them without an id.
 */
export function readUnsubscription(parameters: Parameters): Readonly<{ subscriptionId?: number }> {
  const { subscriptionId } = END_SET.read(plainFields(parameters, END_NAMES));
  return subscriptionId === undefined ? {} : { subscriptionId };
}

/** Checks the parameters of session.subscriptions, which has none of its own. Throws like {@link readSubscription}. */
export function readNothing(parameters: Parameters): void {
  ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES));
}

/**
 * Reads the parameters of the older SUBSCRIBE: a session token of the host.
 * Throws an OrderError: -1102 without a token, -1105 for an empty one, -1100 for more than 512 characters or characters
 * that are not visible ASCII. Source: contract, Authentication, WebSocket 1.
 */
export function readRequestToken(parameters: Parameters): string {
  return TOKEN_SET.read(plainFields(parameters, TOKEN_NAMES)).requestToken;
}
