import { OrderError } from "../../errors/index.ts";
import type { ApiKey, Permission } from "../../model/index.ts";
import type { MethodDescriptor, RouteDescriptor } from "../../requests/index.ts";
import { isListed } from "./address-list.ts";
import { networkOf } from "./ip-address.ts";
import type { AccessParts } from "./parts.ts";

/** Who sent a request, and with what permission it is served: proved. */
export type Proof = Readonly<{
  key: ApiKey;
  /** What the route or method needs of key and account. */
  permission: Permission;
  /** 64 hex digits in lower case. */
  signature: string;
}>;

const API_KEY = /^[\x21-\x7e]{1,256}$/;

/** The API key as it was sent, when it can be one; throws an OrderError -2014 otherwise. */
export function requiredKey(apiKey: string | undefined): string {
  if (apiKey === undefined || !API_KEY.test(apiKey)) throw new OrderError("BAD_API_KEY_FORMAT");
  return apiKey;
}

/**
 * The key of a signed request; `isSigned` says whether a secret made the signature. Throws an OrderError: -2015 for an
 * unknown key, -1022 for a wrong signature. An unknown key costs the work of a wrong signature, so that time does not tell
 * them apart.
 */
export async function provedKey(
  { accounts }: Pick<AccessParts, "accounts">,
  apiKey: string,
  isSigned: (secret: string | undefined) => boolean,
): Promise<ApiKey> {
  const key = await accounts.key(apiKey);
  const signed = isSigned(key?.secret);
  if (key === undefined) throw new OrderError("REJECTED_API_KEY");
  if (!signed) throw new OrderError("BAD_SIGNATURE");
  return key;
}

/**
 * Replay guard, address list and permission, in that order, for a request whose key and freshness are proved. Throws an
 * OrderError: -1022 when the signature was used for something else before, then as {@link demandAccess}.
 * Source: decision 41.
 */
export function admitted(
  { replayGuard, clock, traffic }: Pick<AccessParts, "replayGuard" | "clock" | "traffic">,
  use: Proof & Readonly<{ target: RouteDescriptor | MethodDescriptor; address: string }>,
): Proof {
  const { key, permission, signature, target, address } = use;
  const seen = { apiKey: key.apiKey, signature, use: useOf(target), nowMs: clock.monotonicMs() };
  if (replayGuard?.decide(seen) === "other") throw new OrderError("BAD_SIGNATURE");
  demandAccess(key, { address, permission });
  traffic.proved(networkOf(address));
  return { key, permission, signature };
}

/** Throws an OrderError -2015, in the form of an unknown key, for an address or a permission that the key lacks. */
export function demandAccess(key: ApiKey, use: Readonly<{ address: string; permission: Permission }>): void {
  const allowed = key.permissions.includes(use.permission) && isListed(use.address, key.ipAllowlist);
  if (!allowed) throw new OrderError("REJECTED_API_KEY");
}

/** The replay guard keeps what each signature was used for: one text for all that were used alike. */
const USES: WeakMap<RouteDescriptor | MethodDescriptor, string> = new WeakMap();

/** What a signature is used for: method and path of REST, or the WebSocket method. Source: decision 41. */
function useOf(target: RouteDescriptor | MethodDescriptor): string {
  const known = USES.get(target);
  if (known !== undefined) return known;
  const use = "path" in target ? `${target.method} ${target.path}` : `WebSocket ${target.name}`;
  USES.set(target, use);
  return use;
}
