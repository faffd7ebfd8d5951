import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead } from "./known-names.ts";
import type { SessionAct } from "./methods.ts";
import { plainFields } from "./plain-fields.ts";
import { optional, text, whole } from "./rule.ts";

const ACCOUNT_NAMES: KnownNames = namesOfRead([]);
const END_NAMES: KnownNames = namesOfRead(["subscriptionId"]);
const TOKEN_NAMES: KnownNames = namesOfRead(["requestToken"]);

const ACCOUNT_SET = fieldSet(ACTOR_RULES);
const END_SET = fieldSet({ ...ACTOR_RULES, subscriptionId: optional(whole({ from: 0 })) });
const TOKEN_SET = fieldSet({ ...ACTOR_RULES, requestToken: text({ pattern: /^[\x21-\x7e]{1,512}$/ }) });

/** What the connection's own methods take. */
export const SESSION_ACTS: Readonly<Record<SessionAct, RequestShape>> = {
  subscribe: { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
  subscribeByToken: { names: TOKEN_NAMES, set: TOKEN_SET },
  unsubscribe: { names: END_NAMES, set: END_SET },
  subscriptions: { names: ACCOUNT_NAMES, set: ACCOUNT_SET },
};

/**
 * Reads the parameters of userDataStream.subscribe.signature: whose events are asked for, by default the key's account.
 * Throws an OrderError -1104 for a parameter that is not known. Source: decision 45.
 */
export function readSubscription(parameters: Parameters): Actor {
  return actorOf(ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES)));
}

/** Reads the parameters of userDataStream.unsubscribe: one subscription of the connection, or without an id all of them. */
export function readUnsubscription(parameters: Parameters): Readonly<{ subscriptionId?: number }> {
  const { subscriptionId } = END_SET.read(plainFields(parameters, END_NAMES));
  return subscriptionId === undefined ? {} : { subscriptionId };
}

/** Reads the parameters of session.subscriptions, of which it needs none; throws like {@link readSubscription}. */
export function readNothing(parameters: Parameters): void {
  ACCOUNT_SET.read(plainFields(parameters, ACCOUNT_NAMES));
}

/**
 * Reads the parameters of the older SUBSCRIBE: the session token that the host knows.
 * Throws an OrderError: -1102 without it, -1105 when it is empty, -1100 for more than 512 or other than visible characters. Source: contract, Authentication, WebSocket 1.
 */
export function readRequestToken(parameters: Parameters): string {
  return TOKEN_SET.read(plainFields(parameters, TOKEN_NAMES)).requestToken;
}
