import { OrderError } from "../../errors/index.ts";
import type { ApiKey, Permission } from "../../model/index.ts";
import type { MethodDescriptor } from "../../requests/index.ts";
import { checkFreshness, socketSignature, verifySocketSignature } from "../../signing/index.ts";
import type { Parameters } from "../../wire/index.ts";
import { demandAccess, guard, requiredKey } from "../access/authentication.ts";
import { useOf } from "../access/signature-use.ts";
import type { ServiceParts } from "../rest/parts.ts";

/** A signed message on its way in. */
export type ArrivingMessage = Readonly<{ method: MethodDescriptor; signed: Parameters; address: string }>;

/** Whose message it is, proved. */
export type ProvedMessage = Readonly<{ key: ApiKey; permission: Permission; signature: string }>;

/**
 * Proves who sent a message and that it may be served now: signature, key, freshness, replay guard, address list and
 * permission, in that order, each message by itself. Throws an OrderError as the REST authentication does; the timestamp
 * is required. Source: contract, Authentication, WebSocket; decisions 39-41; hostile input 95.
 */
export async function authenticateMessage(
  parts: ServiceParts,
  { method, signed: parameters, address }: ArrivingMessage,
): Promise<ProvedMessage> {
  const signed = socketSignature(parameters);
  const apiKey = requiredKey(signed.apiKey);
  const key = await parts.accounts.key(apiKey);
  // An unknown key costs the work of a wrong signature, so that time does not tell them apart.
  const verified = verifySocketSignature({ secret: key?.secret, signed });
  if (key === undefined) throw new OrderError("REJECTED_API_KEY");
  if (!verified) throw new OrderError("BAD_SIGNATURE");
  checkFreshness({
    timestamp: parameters.get("timestamp"),
    recvWindow: parameters.get("recvWindow"),
    nowMs: parts.clock.nowMs(),
    required: true,
  });
  const { signature } = signed;
  guard(parts, { apiKey, signature, use: useOf(method) });
  const permission = method.access === "TRADE" ? "TRADE" : "READ";
  demandAccess(key, { address, permission });
  return { key, permission, signature };
}
