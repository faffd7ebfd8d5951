import type { Dialect } from "../../requests/index.ts";
import { socketSignature, verifySocketSignature } from "../../signing/internal.ts";
import { requiredKey } from "../access/authentication.ts";
import type { Worked } from "../access/front-work.ts";
import { readParameters, readSocketRequest } from "./request.ts";

/**
 * Runs the part of a signed message that needs only its text and a secret, in a front thread, as {@link workRequest}
 * does for a request. Never throws. Source: decision HS.
 *
 * @internal
 */
export function workMessage(
  text: string,
  secretOf: (apiKey: string) => string | undefined,
  dialect: Dialect,
): Worked | undefined {
  try {
    const request = readSocketRequest(text, dialect);
    if (!("method" in request) || request.method.access === "PUBLIC") return undefined;
    const { id, method, params } = request;
    const parameters = readParameters(params, dialect);
    const signed = socketSignature(parameters);
    const apiKey = requiredKey(signed.apiKey);
    const secret = secretOf(apiKey);
    if (!verifySocketSignature({ secret, signed }) || secret === undefined) return undefined;
    const envelope = { id, method: method.name };
    return { apiKey, signature: signed.signature, parameters, secret, envelope };
  } catch {
    return undefined;
  }
}
