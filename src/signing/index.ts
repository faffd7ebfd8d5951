/**
 * Signing and verification of requests; and JSON in which integers of 64 bits stay
 * exact, as requests and replies contain them.
 *
 * @module managed-orders/signing
 */

export { type JsonInput, type JsonObject, type JsonValue, readJson, writeJson } from "../wire/index.ts";
export type { SignatureSender } from "./replay-guard.ts";
export {
  createReplayGuard,
  type ReplayGuard,
  type ReplayGuardOptions,
  type ReplayVerdict,
  type SignatureUse,
} from "./replay-guard.ts";
export { type CanonicalDifference, compareCanonical } from "./rest-signature.ts";
export { derivedClientId, isSignature, sign, verifySignature } from "./signature.ts";
export {
  encodeQuery,
  type ParametersOf,
  type RequestParameters,
  type RequestValue,
  signBody,
  signQuery,
  signSocketParameters,
} from "./signed-request.ts";
