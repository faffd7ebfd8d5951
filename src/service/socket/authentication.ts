import type { MethodDescriptor } from "../../requests/index.ts";
import { checkFreshness, socketSignature, verifySocketSignature } from "../../signing/internal.ts";
import type { Parameters } from "../../wire/index.ts";
import { admitted, type KeyUse, type Proof, provedKey, requiredKey } from "../access/authentication.ts";
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
 * Authenticates a message and checks that it may be served now: signature, key, address list and permission,
 * freshness, replay guard, in that order. Every message authenticates itself. Throws an OrderError as the REST authentication
 * does. The timestamp is required. Source: contract, Authentication, WebSocket; decisions 39-41; hostile input 95.
 */
export async function authenticateMessage(
  parts: Pick<AccessParts, "accounts" | "clock" | "replayGuard" | "traffic">,
  { method, signed: parameters, address, connection, front }: ArrivingMessage,
): Promise<Proof> {
  const use = { permission: method.access === "TRADE" ? "TRADE" : "READ", address } as const;
  const { key, signature } =
    (await provedAhead(parts, front, use)) ?? (await provedHere(parts, { ...use, parameters, front }));
  checkFreshness({
    timestamp: parameters.get("timestamp"),
    recvWindow: parameters.get("recvWindow"),
    nowMs: parts.clock.nowMs(),
    required: true,
  });
  return admitted(parts, { ...use, key, signature, target: method, connection });
}

type Proved = Pick<Proof, "key" | "signature">;

async function provedHere(
  parts: Pick<AccessParts, "accounts">,
  { parameters, front, ...use }: KeyUse & Readonly<{ parameters: Parameters; front: Front | undefined }>,
): Promise<Proved> {
  const signed = socketSignature(parameters);
  const apiKey = requiredKey(signed.apiKey);
  const isSigned = (secret: string | undefined): boolean => verifySocketSignature({ secret, signed });
  const key = await provedKey(parts, { ...use, apiKey, isSigned });
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
  use: KeyUse,
): Promise<Proved | undefined> {
  const worked = front?.worked;
  if (front === undefined || worked === undefined) return undefined;
  const key = await keyOfWorked(parts, front, use);
  return key && { key, signature: worked.signature };
}
