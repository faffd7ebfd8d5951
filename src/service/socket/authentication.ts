import type { MethodDescriptor } from "../../requests/index.ts";
import { checkFreshness, socketSignature, verifySocketSignature } from "../../signing/index.ts";
import type { Parameters } from "../../wire/index.ts";
import { admitted, type Proof, provedKey, requiredKey } from "../access/authentication.ts";
import type { AccessParts } from "../access/parts.ts";

/** A signed message on its way in. */
export type ArrivingMessage = Readonly<{ method: MethodDescriptor; signed: Parameters; address: string }>;

/**
 * Proves who sent a message and that it may be served now: signature, key, freshness, replay guard, address list and
 * permission, in that order, each message by itself. Throws an OrderError as the REST authentication does; the timestamp
 * is required. Source: contract, Authentication, WebSocket; decisions 39-41; hostile input 95.
 */
export async function authenticateMessage(
  parts: Pick<AccessParts, "accounts" | "clock" | "replayGuard">,
  { method, signed: parameters, address }: ArrivingMessage,
): Promise<Proof> {
  const signed = socketSignature(parameters);
  const apiKey = requiredKey(signed.apiKey);
  const key = await provedKey(parts, apiKey, (secret) => verifySocketSignature({ secret, signed }));
  checkFreshness({
    timestamp: parameters.get("timestamp"),
    recvWindow: parameters.get("recvWindow"),
    nowMs: parts.clock.nowMs(),
    required: true,
  });
  const permission = method.access === "TRADE" ? "TRADE" : "READ";
  const { signature } = signed;
  return admitted(parts, { key, permission, signature, target: method, address });
}
