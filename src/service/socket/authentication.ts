import type { MethodDescriptor } from "../../requests/index.ts";
import { checkFreshness, socketSignature, verifySocketSignature } from "../../signing/internal.ts";
import type { Parameters } from "../../wire/index.ts";
import { admitted, type Proof, provedKey, requiredKey } from "../access/authentication.ts";
import { type Front, keyOfWorked } from "../access/front-work.ts";
import type { AccessParts } from "../access/parts.ts";

/** A signed message before authentication. */
export type ArrivingMessage = Readonly<{
  method: MethodDescriptor;
  signed: Parameters;
  address: string;
  connection: string | undefined;
  front?: Front | undefined;
}>;

/**
 * Authenticates a message and checks that it may be served now: signature, key, freshness, replay guard, address list
 * and permission, in that order. Every message authenticates itself. Throws an OrderError as the REST authentication
 * does. The timestamp is required. Source: contract, Authentication, WebSocket; decisions 39-41; hostile input 95.
 */
export async function authenticateMessage(
  parts: Pick<AccessParts, "accounts" | "clock" | "replayGuard" | "traffic">,
  { method, signed: parameters, address, connection, front }: ArrivingMessage,
): Promise<Proof> {
  const { key, signature } =
    (await provedAhead(parts, front)) ?? (await provedHere(parts, { parameters, front }));
  checkFreshness({
    timestamp: parameters.get("timestamp"),
    recvWindow: parameters.get("recvWindow"),
    nowMs: parts.clock.nowMs(),
    required: true,
  });
  const permission = method.access === "TRADE" ? "TRADE" : "READ";
  return admitted(parts, { key, permission, signature, target: method, address, connection });
}

type Proved = Pick<Proof, "key" | "signature">;

async function provedHere(
  parts: Pick<AccessParts, "accounts">,
  { parameters, front }: Readonly<{ parameters: Parameters; front: Front | undefined }>,
): Promise<Proved> {
  const signed = socketSignature(parameters);
  const apiKey = requiredKey(signed.apiKey);
  const key = await provedKey(parts, apiKey, (secret) => verifySocketSignature({ secret, signed }));
  front?.proved(key);
  return { key, signature: signed.signature };
}

/**
 * Returns the key and signature that a front thread has verified, if the host confirms that the secret is still the
 * key's.
 */
async function provedAhead(
  parts: Pick<AccessParts, "accounts">,
  front: Front | undefined,
): Promise<Proved | undefined> {
  const worked = front?.worked;
  if (front === undefined || worked === undefined) return undefined;
  const key = await keyOfWorked(parts, front, worked);
  return key && { key, signature: worked.signature };
}
